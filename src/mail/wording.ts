/** The texts of mails. Plain text only; every inserted value is a validated address, a token of ours, or a name in quotes. */
import type { Letter } from "../domain/user/letter.ts"
import { dateTime } from "../foundation/time.ts"

export interface Words {
  readonly subject: string
  readonly text: string
}

type Proof = "signup" | "recovery" | "email_change"

/**
 * A link to the operator's page where there is one, else the call to make. Nothing is done by opening a link: mail scanners open every
 * one, so the page has to POST the token.
 */
const howTo = (appUrl: string | null, type: Proof, token: string): string =>
  appUrl === null
    ? `Send this token to POST /api/v3/auth/verify as {"type":"${type}","token":"…"}:\n\n${token}\n`
    : // Behind the #: what follows it is never sent to a server, nor to the next page.
      `Open this page:\n\n${appUrl}#type=${type}&token=${token}\n`

const ignore = "If this was not you, ignore this mail: without the token nothing changes.\n"
const alarm = "If this was not you, recover your password at once: another person may be using your account.\n"

/** `appUrl`: the operator's page that takes a token; null without one. */
export const wording = (letter: Letter, appUrl: string | null): Words => {
  switch (letter._tag) {
    case "ConfirmSignup":
      return {
        subject: "Confirm your e-mail address",
        text: `This e-mail address was just used to sign up.\n\n${howTo(appUrl, "signup", letter.token)}\nIt is valid for 24 hours. If it was not you, do nothing: using the token of\nanother person's sign-up would give them your address.\n`,
      }
    case "SignupRepeated":
      return {
        subject: "You are already registered",
        text: "This e-mail address was used to sign up, but it is already registered. Log in instead, or\nrecover your password if you have forgotten it. Nothing was changed.\n",
      }
    case "Recovery":
      return {
        subject: "Recover your password",
        text: `A new password was requested for this e-mail address.\n\n${howTo(appUrl, "recovery", letter.token)}\nIt is valid for 10 minutes and for one use. ${ignore}`,
      }
    case "ConfirmOldEmail":
      return {
        subject: "Confirm the change of your e-mail address",
        text: `A change of your account's e-mail address to ${letter.newEmail} was requested.\n\n${howTo(appUrl, "email_change", letter.token)}\nThe new address gets a mail of its own: both must confirm within 24 hours. If this was not you, do nothing,\nand change your password: another person is using your account.\n`,
      }
    case "ConfirmNewEmail":
      return {
        subject: "Confirm your new e-mail address",
        text: `A change of an account's e-mail address to this one was requested.\n\n${howTo(appUrl, "email_change", letter.token)}\nThe present address gets a mail of its own: both must confirm within 24 hours. ${ignore}`,
      }
    case "EmailTaken":
      return {
        subject: "Another account asked to use your e-mail address",
        text: "Another account, perhaps one of yours, asked to change its address to this one. It is already registered,\nso nothing was changed.\n",
      }
    case "PasswordChanged":
      return { subject: "Your password was changed", text: `All your other sessions were ended. ${alarm}` }
    case "SecondFactorChanged":
      return letter.isThere
        ? { subject: "A second factor was set up", text: `Your other sessions were ended. ${alarm}` }
        : { subject: "Your second factor was removed", text: `Your password alone now opens your account. ${alarm}` }
    case "SecondFactorReset":
      return {
        subject: "Your second factor was reset",
        text: "An admin removed your second factor and its recovery codes, and ended your sessions. Your password alone now\nopens your account: log in and set up a second factor again.\n\nIf you did not ask for this, change your password at once and tell your operator: another person may have asked\nfor it in your name.\n",
      }
    case "ApiKeyCreated":
      return {
        subject: "An API key was created",
        text: `The API key ${JSON.stringify(letter.name)} (${letter.prefix}…) was created for your account at\n${dateTime(letter.createdAt)}, with the scopes ${letter.scopes.join(", ")}. Programs that have it act for you.\n\nIf neither you nor your operator made it, revoke it (POST /api/v3/apiKey/revoke) and change your password at once:\nanother person may be using your account.\n`,
      }
    case "EmailChanged":
      return {
        subject: "Your e-mail address was changed",
        text: `Your account's address is ${letter.newEmail} from now on.\n\n${alarm}`,
      }
  }
}
