/**
 * The cookie that continues the console's session: a refresh token that scripts cannot read. The one thing to know: it is sent only to
 * /console/session, and accepted only from the gateway's own page; the API uses no cookie, so a foreign page cannot forge requests with it.
 */
import { Forbidden } from "../../domain/errors/authorisation.ts"
import { isOriginAllowed } from "../../domain/user/web-origin.ts"
import type { RequestFacts } from "../edge/route.ts"

type Headers = Pick<RequestFacts, "header">

/** A browser keeps cookies by host, without the port: several gateways of one machine have one each. */
const nameOf = (request: Headers): string => {
  const port = /:(\d{1,5})$/.exec(request.header("host"))?.[1]
  return port === undefined ? "console" : `console-${port}`
}

/** A page over TLS says so itself, whatever ends the TLS in front of us; no page writes its own origin. */
const isSecure = (request: Headers): boolean => request.header("origin").startsWith("https://")

/**
 * Over TLS the name that a browser takes from nobody but this very host, over TLS; the other one is never read there, since a page of a
 * neighbouring host, or anything on a plain line, could set it and sign its reader in as another user.
 */
const cookieName = (request: Headers): string => `${isSecure(request) ? "__Host-" : ""}${nameOf(request)}`

/** What the session is to go on by. Empty: there is none. */
export const refreshTokenOf = (request: Headers): string => {
  const name = cookieName(request)
  for (const pair of request.header("cookie").split(";")) {
    const at = pair.indexOf("=")
    if (pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return ""
}

export interface CookieTerms {
  /** The session ends without a renewal in that time. */
  readonly idleMillis: number
}

const written = (request: Headers, token: string, seconds: number): string =>
  [
    `${cookieName(request)}=${token}`,
    // `__Host-` asks for the whole host; without it the one place that reads it is enough.
    `Path=${isSecure(request) ? "/" : "/console/session"}`,
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(isSecure(request) ? ["Secure"] : []),
  ].join("; ")

export const cookieOf = (request: Headers, token: string, terms: CookieTerms): string =>
  written(request, token, Math.floor(terms.idleMillis / 1000))

export const noCookie = (request: Headers): string => written(request, "", 0)

/** Undefined: it is our own page that asks. A browser says so of each POST; who says nothing is none. */
export const foreignPage = (request: Headers): Forbidden | undefined => {
  const origin = request.header("origin")
  const site = request.header("sec-fetch-site")
  const isOwn =
    origin !== "" && isOriginAllowed(origin, request.header("host"), []) && (site === "" || site === "same-origin")
  return isOwn ? undefined : new Forbidden()
}
