/**
 * Which passwords are refused (security A.1): too short, too long, commonly used, or derived from public facts about the user. No rules
 * about kinds of characters: they make passwords harder to remember, not to guess.
 */

const LENGTH_MIN = 8
const LENGTH_MAX = 128
const BYTES_MAX = 512
/** A word that everybody knows must leave this many other characters. */
const OTHERS_MIN = 5
const WORD_MIN = 4

/** Words of this service; those of the user come with the call. */
const OUR_WORDS = ["venue-gateway", "venuegateway", "gateway", "trading"]

/** Leaked passwords by frequency, of those that are long enough; 18 thousand of them take 2 MB. */
export const loadCommonPasswords = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import("@zxcvbn-ts/language-common")
  return new Set(dictionary["passwords-common"].filter((word) => word.length >= LENGTH_MIN))
}

const isOneTune = (characters: ReadonlyArray<string>): boolean => {
  const steps = new Set(characters.slice(1).map((it, i) => it.codePointAt(0)! - characters[i]!.codePointAt(0)!))
  // aaaaaaaa, abcdefgh, 87654321.
  return steps.size === 1 && Math.abs([...steps][0]!) <= 1
}

/** Words of an address that its owner's password must not consist of: `ada.lovelace@example.com` has four. */
export const wordsOf = (email: string): ReadonlyArray<string> => {
  const [local = "", domain = ""] = email.toLowerCase().split("@")
  return [email.toLowerCase(), local, ...local.split(/[^a-z0-9]+/), domain, ...domain.split(".").slice(0, -1)]
}

/** Reasons why a password is refused; empty when it may be used. Counts code points, as a user does. */
export const weaknesses = (
  password: string,
  common: ReadonlySet<string>,
  context: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const characters = [...password]
  if (characters.length < LENGTH_MIN) return [`length: at least ${LENGTH_MIN} characters`]
  if (characters.length > LENGTH_MAX || Buffer.byteLength(password) > BYTES_MAX)
    return [`length: at most ${LENGTH_MAX} characters`]
  const lower = password.toLowerCase()
  if (common.has(lower) || isOneTune(characters)) return ["common: among the first passwords an attacker tries"]
  const known = [...OUR_WORDS, ...context].some(
    (word) => word.length >= WORD_MIN && lower.includes(word) && characters.length - [...word].length < OTHERS_MIN,
  )
  return known ? ["context: little more than your e-mail address or the name of the service"] : []
}
