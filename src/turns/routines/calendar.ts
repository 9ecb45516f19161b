/** When a routine of the kind `calendar` runs. Days of a week are 0 (Sunday) to 6; `minute` is of the day. */
export type Spec =
  | { readonly every: 'interval'; readonly ms: number }
  | { readonly every: 'week'; readonly days: readonly number[]; readonly minute: number }
  /** In a shorter month the day is its last. */
  | { readonly every: 'month'; readonly day: number; readonly minute: number }
