/** What belongs to one person: preferences, invitations, a line's history, what was seen last. */
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
export {
  NAME_COLOURS,
  type NameColour,
  type NameStyles,
  personNameStyle,
  setBounded,
  usualColour,
  usualModelStyle,
} from './name-styles.ts'
export {
  OPTIONS,
  type OpenPreferences,
  type Option,
  type PersonalOptions,
  Preferences,
  THEME_NAMES,
  type ThemeName,
  isOption,
  valueOf,
} from './preferences.ts'
export { holdsSecret } from './secrets.ts'
