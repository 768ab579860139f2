/**
 * Parses the commands of `gateway admin` about users, tenants, networks and API keys. An e-mail address contains an @, a tenant's name does not:
 * that distinguishes them. An invalid argument is answered with its fault.
 */
import { type ApiKeyId, TENANT_NAME } from "../domain/ids.ts"
import { ApiKeyScope } from "../domain/user/api-key.ts"
import type { Permission, UserEnvironment } from "../domain/user/user.ts"
import { networkFault, newNetworkFault } from "../foundation/network.ts"
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

const API_KEY_USAGE = `  api-key EMAIL list               the user's API keys, one per line, with their last use
  api-key EMAIL create NAME read|trade|admin [from=ADDRESS,…] [days=N]
                                   create one; it is shown only once; from addresses or CIDRs alone, for so many days
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
        const fault = newNetworkFault(network)
        if (fault !== undefined) return `from=${value}: "${network}" is not ${fault}`
      }
    } else if (name === "days" && days === null) {
      if (!/^[1-9]\d{0,3}$/.test(value)) return `days=${value}: a whole number from 1 to 9999`
      days = Number(value)
    } else if (name === "from" || name === "days") return `${word}: ${name}= is given twice`
    else return `"${word}": only from=ADDRESS,… and days=N may follow the scope`
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
  if (verb === "list") return one === undefined ? { _tag: "ApiKeys", email } : `"${one}": list takes no arguments`
  if (verb !== "revoke") return `"${verb}": must be list, create or revoke`
  if (others.length > 0) return `"${others[0]}": nothing may follow the key's id`
  if (one === "all") return { _tag: "RevokeApiKey", email, keyId: null }
  return one !== undefined && isUuid(one)
    ? { _tag: "RevokeApiKey", email, keyId: one.toLowerCase() as ApiKeyId }
    : `revoke ${one === undefined ? "needs a" : `"${one}": the`} key's id, as \`list\` tells it, or all`
}

/** Whose list of networks: a user's or a tenant's. */
export type Owner = { readonly email: string } | { readonly tenantId: string }

export type Command =
  | { readonly _tag: "Show"; readonly email: string }
  /** Null: of all tenants. */
  | { readonly _tag: "Users"; readonly tenantId: string | null }
  | { readonly _tag: "Grant"; readonly email: string; readonly permission: Permission }
  | { readonly _tag: "Revoke"; readonly email: string; readonly permission: Permission }
  | { readonly _tag: "Environments"; readonly email: string; readonly environments: ReadonlyArray<UserEnvironment> }
  | { readonly _tag: "Move"; readonly email: string; readonly tenantId: string }
  | { readonly _tag: "Ban"; readonly email: string; readonly reason: string | null }
  | { readonly _tag: "Unban"; readonly email: string }
  | { readonly _tag: "SignOut"; readonly email: string }
  | { readonly _tag: "ResetSecondFactor"; readonly email: string }
  | ApiKeyCommand
  | { readonly _tag: "CreateTenant"; readonly tenantId: string }
  | { readonly _tag: "Tenants" }
  | { readonly _tag: "Networks"; readonly owner: Owner }
  | { readonly _tag: "AllowNetwork"; readonly owner: Owner; readonly network: string }
  | { readonly _tag: "ForgetNetwork"; readonly owner: Owner; readonly network: string }

export const USERS_USAGE = `  user EMAIL                       show a user
  user list [TENANT]               list users, one per line
  user move EMAIL TENANT           move a user to another tenant; refused while the user owns anything; ends the user's sessions and API keys
  grant EMAIL read|write|admin     grant a right and those it implies
  revoke EMAIL read|write|admin    revoke a right and those that imply it; ends the subscriptions that need it
  environments EMAIL PROD,UAT      venues the user may trade: PROD (real), UAT (test), both, or none
  ban EMAIL [REASON]               end the user's sessions and API keys, and refuse logins
  unban EMAIL                      allow logins again
  sign-out EMAIL                   end the user's sessions
  second-factor EMAIL reset        remove the second factor and its recovery codes; ends the user's sessions

${API_KEY_USAGE}
  tenant list                      list tenants, one per line
  tenant create TENANT             create a tenant

  ip-allow EMAIL|TENANT list             networks the user, or every user of the tenant, may connect from; empty: anywhere
  ip-allow EMAIL|TENANT add ADDRESS      add an address or a CIDR
  ip-allow EMAIL|TENANT remove ADDRESS   remove it
`

const RANKS: ReadonlyArray<Permission> = ["read", "write", "admin"]
const ENVIRONMENTS: ReadonlyArray<UserEnvironment> = ["PROD", "UAT"]

const TENANT = new RegExp(`^${TENANT_NAME}$`)
const isTenant = (text: string | undefined): text is string => text !== undefined && TENANT.test(text)

const isEmail = (text: string | undefined): text is string => text?.includes("@") === true

const environmentsOf = (text: string): ReadonlyArray<UserEnvironment> | undefined => {
  if (text === "none") return []
  const words = text.toUpperCase().split(",")
  return words.every((word) => (ENVIRONMENTS as ReadonlyArray<string>).includes(word))
    ? ENVIRONMENTS.filter((it) => words.includes(it))
    : undefined
}

const ofTenants = ([verb, tenantId, ...more]: ReadonlyArray<string>): Command | undefined => {
  if (verb === "list" && tenantId === undefined) return { _tag: "Tenants" }
  return verb === "create" && isTenant(tenantId) && more.length === 0 ? { _tag: "CreateTenant", tenantId } : undefined
}

const ofNetworks = ([whose, verb, network, ...more]: ReadonlyArray<string>): Command | undefined => {
  const owner = isEmail(whose) ? { email: whose } : isTenant(whose) ? { tenantId: whose } : undefined
  if (owner === undefined || more.length > 0) return undefined
  if (verb === "list" && network === undefined) return { _tag: "Networks", owner }
  if (network === undefined || networkFault(network) !== undefined) return undefined
  if (verb === "add")
    return newNetworkFault(network) === undefined ? { _tag: "AllowNetwork", owner, network } : undefined
  return verb === "remove" ? { _tag: "ForgetNetwork", owner, network } : undefined
}

const ofUsers = ([first, ...rest]: ReadonlyArray<string>): Command | undefined => {
  if (isEmail(first) && rest.length === 0) return { _tag: "Show", email: first }
  const [one, two, ...more] = rest
  if (first === "list" && two === undefined) {
    if (one === undefined) return { _tag: "Users", tenantId: null }
    return isTenant(one) ? { _tag: "Users", tenantId: one } : undefined
  }
  if (first !== "move" || more.length > 0) return undefined
  return isEmail(one) && isTenant(two) ? { _tag: "Move", email: one, tenantId: two } : undefined
}

/** Undefined: the words are no command. */
export const parseCommand = (words: ReadonlyArray<string>): Command | undefined => {
  const [name, ...rest] = words
  if (name === "tenant") return ofTenants(rest)
  if (name === "ip-allow") return ofNetworks(rest)
  if (name === "user") return ofUsers(rest)
  if (name === "api-key") {
    const command = apiKeyCommandOf(rest)
    return typeof command === "string" ? undefined : command
  }
  const [email, argument, ...more] = rest
  if (!isEmail(email)) return undefined
  if (name === "ban")
    return {
      _tag: "Ban",
      email,
      reason: argument === undefined ? null : [argument, ...more].join(" ").slice(0, 500),
    }
  if (more.length > 0) return undefined
  if (argument === undefined) {
    if (name === "unban") return { _tag: "Unban", email }
    return name === "sign-out" ? { _tag: "SignOut", email } : undefined
  }
  if (name === "second-factor") return argument === "reset" ? { _tag: "ResetSecondFactor", email } : undefined
  const environments = name === "environments" ? environmentsOf(argument) : undefined
  if (environments !== undefined) return { _tag: "Environments", email, environments }
  const permission = RANKS.find((it) => it === argument)
  if (permission === undefined) return undefined
  if (name === "grant") return { _tag: "Grant", email, permission }
  return name === "revoke" ? { _tag: "Revoke", email, permission } : undefined
}
