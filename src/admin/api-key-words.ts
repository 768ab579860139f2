/** Parses `gateway admin api-key …`. The one thing to know: words that are wrong are answered with what is wrong about which of them. */
import type { ApiKeyId } from "../domain/ids.ts"
import { ApiKeyScope } from "../domain/user/api-key.ts"
import { networkFault } from "../foundation/network.ts"
import { isUuid } from "../foundation/uuid.ts"

export type ApiKeyCommand =
  | { readonly _tag: "ApiKeys"; readonly email: string }
  | {
      readonly _tag: "CreateApiKey"
      readonly email: string
      readonly name: string
      readonly scope: ApiKeyScope
      /** Null: from everywhere. */
      readonly ipAllow: ReadonlyArray<string> | null
      /** Null: it does not end. */
      readonly days: number | null
    }
  /** Null: all that the user has. */
  | { readonly _tag: "RevokeApiKey"; readonly email: string; readonly keyId: ApiKeyId | null }

export const API_KEY_USAGE = `  api-key EMAIL list               the user's API keys, one per line, with their last use
  api-key EMAIL create NAME read|trade|admin [from=ADDRESS,…] [days=N]
                                   create one, shown this once; from addresses or CIDRs alone, for so many days
  api-key EMAIL revoke KEY-ID|all  end one, or all; its sockets close
`

const NAME_MAX = 64

interface Options {
  readonly ipAllow: ReadonlyArray<string> | null
  readonly days: number | null
}

/** `from=…` and `days=…`, each at most once; or what is wrong. */
const optionsOf = (words: ReadonlyArray<string>): Options | string => {
  let ipAllow: ReadonlyArray<string> | null = null
  let days: number | null = null
  for (const word of words) {
    const [name, value = ""] = word.split("=", 2)
    if (name === "from" && ipAllow === null) {
      ipAllow = value.split(",")
      for (const network of ipAllow) {
        const fault = networkFault(network)
        if (fault !== undefined) return `from=${value}: "${network}" is not ${fault}`
      }
    } else if (name === "days" && days === null) {
      if (!/^[1-9]\d{0,3}$/.test(value)) return `days=${value}: a whole number from 1 to 9999`
      days = Number(value)
    } else if (name === "from" || name === "days") return `${word}: there is a ${name}= before it; give it once`
    else return `"${word}": what may follow the scope is from=ADDRESS,… and days=N`
  }
  return { ipAllow, days }
}

const create = (email: string, [name, asked, ...more]: ReadonlyArray<string>): ApiKeyCommand | string => {
  if (!name) return "create: the key needs a NAME, then a scope"
  if (name.length > NAME_MAX) return `the name "${name}" has ${name.length} characters: at most ${NAME_MAX}`
  const scope = ApiKeyScope.literals.find((it) => it === asked)
  if (scope === undefined)
    return `the scope ${asked === undefined ? "is missing" : `"${asked}"`}: one of ${ApiKeyScope.literals.join(", ")}`
  const options = optionsOf(more)
  return typeof options === "string" ? options : { _tag: "CreateApiKey", email, name, scope, ...options }
}

/** Of the words behind `api-key`; a text says what is wrong about them. */
export const apiKeyCommandOf = ([email = "", verb = "", ...more]: ReadonlyArray<string>): ApiKeyCommand | string => {
  if (!email.includes("@")) return `"${email}": the user's e-mail address`
  if (verb === "create") return create(email, more)
  const [one, ...others] = more
  if (verb === "list") return one === undefined ? { _tag: "ApiKeys", email } : `"${one}": nothing follows list`
  if (verb !== "revoke") return `"${verb}": list, create or revoke`
  if (others.length > 0) return `"${others[0]}": nothing follows the key's id`
  if (one === "all") return { _tag: "RevokeApiKey", email, keyId: null }
  return one !== undefined && isUuid(one)
    ? { _tag: "RevokeApiKey", email, keyId: one.toLowerCase() as ApiKeyId }
    : `revoke ${one === undefined ? "needs a" : `"${one}": the`} key's id, as \`list\` tells it, or all`
}
