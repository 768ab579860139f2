/** Mails to users: their kinds and what each carries. A token in one opens the account, so mails are encrypted while they are queued. */
import type { ApiKeyScope } from "./api-key.ts"

export type Letter =
  /** Proves the address of a signup. */
  | { readonly _tag: "ConfirmSignup"; readonly token: string }
  /** A sign-up with the address of an existing user. */
  | { readonly _tag: "SignupRepeated" }
  | { readonly _tag: "Recovery"; readonly token: string }
  /** To the present address: its owner agrees to the change. */
  | { readonly _tag: "ConfirmOldEmail"; readonly token: string; readonly newEmail: string }
  /** To the new address: it exists and is its reader's. */
  | { readonly _tag: "ConfirmNewEmail"; readonly token: string }
  /** A change to the address of another user was requested. */
  | { readonly _tag: "EmailTaken" }
  | { readonly _tag: "PasswordChanged" }
  | { readonly _tag: "SecondFactorChanged"; readonly isThere: boolean }
  /** By an admin, for a user who had one. */
  | { readonly _tag: "SecondFactorReset" }
  /** `prefix`: the first letters, by which the key is known; `createdAt`: wall ms. */
  | {
      readonly _tag: "ApiKeyCreated"
      readonly name: string
      readonly prefix: string
      readonly scopes: ReadonlyArray<ApiKeyScope>
      readonly createdAt: number
    }
  /** To the old address. */
  | { readonly _tag: "EmailChanged"; readonly newEmail: string }

/** How long each kind of token is good for, in ms. */
export const TOKEN_MILLIS = { signup: 86_400_000, recovery: 600_000, email_change: 86_400_000 } as const

/** A letter without a token is worth sending for that long. */
export const NOTICE_MILLIS = 2 * 86_400_000
