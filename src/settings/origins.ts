/** `ALLOWED_ORIGINS`: compared letter by letter with what browsers send, so an entry that no browser sends would let nobody in. */
import { type Environment, InvalidSetting, list } from "./environment.ts"

/** Apps in a web view and extensions send one of their own scheme: capacitor://localhost, chrome-extension://ID. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/

const isOrigin = (entry: string): boolean => {
  const url = URL.canParse(entry) ? new URL(entry) : undefined
  return OTHER_SCHEME.test(entry) || (url !== undefined && /^https?:$/.test(url.protocol) && url.origin === entry)
}

export const origins = (env: Environment): ReadonlyArray<string> => {
  const given = list(env, "ALLOWED_ORIGINS")
  for (const entry of given)
    if (entry !== "*" && !isOrigin(entry))
      throw new InvalidSetting(
        `ALLOWED_ORIGINS: "${entry}" must be an origin as browsers send it, like https://app.example.com (no path, lower case), or *`,
      )
  return given
}
