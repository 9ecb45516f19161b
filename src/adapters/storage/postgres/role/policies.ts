// What row level security does to the role, as parts of the query for our tables (tables.ts). Only a condition that is `true` is
// known to let every row through: no other one is evaluated.
import { raw } from '../sql.ts'

/** The policies that hold for the role: which rows they let it see, and which store. Null where they say nothing of that. */
export const POLICIES = raw(`policies AS (
  SELECT polrelid, quote_ident(polname) AS name, polpermissive, polcmd::text AS command,
    pg_get_expr(polqual, polrelid) AS seen,
    coalesce(pg_get_expr(polwithcheck, polrelid), pg_get_expr(polqual, polrelid)) AS stored
  FROM pg_policy JOIN ours ON ours.oid = polrelid
  WHERE row_security_active(polrelid) AND EXISTS (
    SELECT FROM unnest(polroles) AS role WHERE CASE role WHEN 0 THEN true ELSE pg_has_role(role, 'USAGE') END))`)

/** The commands that no policy gives with every row. */
export const UNGIVEN = raw(`
  SELECT FROM unnest(ours.commands) AS wanted WHERE NOT EXISTS (
    SELECT FROM policies WHERE polrelid = ours.oid AND polpermissive AND command IN ('*', wanted)
      AND (wanted = 'a' OR seen = 'true') AND (wanted IN ('r', 'd') OR stored = 'true'))`)

/** The policies that take rows away. */
export const RESTRICTIVE = raw(`
  SELECT name FROM policies WHERE polrelid = ours.oid AND NOT polpermissive
    AND command = ANY (array_append(ours.commands, '*')) AND (seen <> 'true' OR stored <> 'true') ORDER BY name`)
