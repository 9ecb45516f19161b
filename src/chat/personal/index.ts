/** What is stored for one person: preferences, invitations, typed lines, and how far they have read. */
export { createAlerts } from './alerts.ts'
export { InputHistory, type OpenHistory } from './input-history.ts'
export { type InvitationNotices, createInvitationNotices } from './invitations.ts'
export { type LastSeen, createLastSeen } from './last-seen.ts'
export type {
  InvitationNotice,
  InvitationNoticeStore,
  LastSeenStore,
  PreferenceStore,
  TypedStore,
} from './ports.ts'
export { type NameStyles, personNameStyle, setBounded, usualColour, usualModelStyle } from './name-styles.ts'
export {
  NAME_COLOURS,
  type NameColour,
  OPTIONS,
  type Option,
  type PersonalOptions,
  RINGS,
  THEME_NAMES,
  type ThemeName,
  isOption,
  ringOption,
  valueOf,
} from './options.ts'
export { type OpenPreferences, Preferences } from './preferences.ts'
export { holdsSecret } from './secrets.ts'
