/**
 * Who is signed in here. The access token is in memory alone, and the session goes on by a cookie that no script reads. The one thing to
 * know: a renewal is made by one tab at a time, since each takes the place of the cookie that the next one sends.
 */
import { computed, signal } from "@preact/signals"
import { type components, ERRNO, Gateway, GatewayError } from "../../clients/typescript/src/index.ts"

export type ConsoleSession = components["schemas"]["ConsoleSession"]
type Envelope = {
  readonly success: boolean
  readonly errno: number
  readonly error: string | null
  readonly data: unknown
}

/** Undefined: not known yet. Null: nobody. */
export const session = signal<ConsoleSession | null | undefined>(undefined)
/** The same over renewals. Null: nobody, or not known yet. */
export const userId = computed(() => session.value?.user.id ?? null)
/** Why the last session ended, for the page that asks for the next one. */
export const farewell = signal<string | null>(null)

export const may = (permission: "read" | "write" | "admin"): boolean =>
  session.value?.permissions.includes(permission) === true && (permission !== "write" || session.value.mode === "on")

const RENEW_BEFORE_MS = 120_000
/** A token that was refused: another one may be had. */
const RENEWED: ReadonlySet<number> = new Set([ERRNO.TOKEN_EXPIRED, ERRNO.SESSION_REVOKED, ERRNO.INVALID_TOKEN])

/** The gateway refused, in its own words. */
export class Refused extends Error {
  readonly errno: number
  readonly code: string
  constructor(errno: number, message: string, code: string) {
    super(message)
    this.errno = errno
    this.code = code
  }
}

const ask = async (act: "open" | "renew" | "end", body: object): Promise<unknown> => {
  const response = await fetch(`/console/session/${act}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  })
  const envelope = (await response.json()) as Envelope & { readonly details?: { readonly code?: string } }
  if (!envelope.success) throw new Refused(envelope.errno, envelope.error ?? "refused", envelope.details?.code ?? "")
  return envelope.data
}

/** A cookie may be there: without it nobody is asked who that is. */
const WAS_HERE = "console.session"
export const mayGoOn = (): boolean => localStorage.getItem(WAS_HERE) !== null

let timer: ReturnType<typeof setTimeout> | undefined

const enter = (next: ConsoleSession): void => {
  session.value = next
  farewell.value = null
  localStorage.setItem(WAS_HERE, "1")
  clearTimeout(timer)
  const left = next.expiresAt * 1000 - Date.now() - RENEW_BEFORE_MS
  timer = setTimeout(() => void renew().catch(() => undefined), Math.max(5_000, left))
}

/** No session any more: whatever was shown of it goes with it. */
export const leave = (why: string | null): void => {
  clearTimeout(timer)
  localStorage.removeItem(WAS_HERE)
  farewell.value = why
  session.value = null
}

const locked = <A>(work: () => Promise<A>): Promise<A> =>
  navigator.locks === undefined ? work() : navigator.locks.request("console-session", work)

/** With the token of a session that was just proven anew, or the cookie's. False: there is none to go on with. */
export const renew = async (refreshToken?: string): Promise<boolean> => {
  try {
    enter((await locked(() => ask("renew", refreshToken === undefined ? {} : { refreshToken }))) as ConsoleSession)
    return true
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    leave(session.value ? "Your session has ended. Sign in again." : null)
    return false
  }
}

export const open = async (email: string, password: string, totpCode: string): Promise<void> => {
  const body = totpCode === "" ? { email, password } : { email, password, totpCode }
  enter((await locked(() => ask("open", body))) as ConsoleSession)
}

export const end = async (): Promise<void> => {
  await locked(() => ask("end", {})).catch(() => undefined)
  leave("You are signed out.")
}

const withToken = (init: RequestInit | undefined): RequestInit => {
  const headers = new Headers(init?.headers)
  const token = session.value?.accessToken
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`)
  return { ...init, headers }
}

/** Of a token that another call has renewed meanwhile the newer one is used. */
let renewing: Promise<boolean> | null = null
const renewOnce = (refused: string | undefined): Promise<boolean> => {
  if (session.value?.accessToken !== refused) return Promise.resolve(session.value !== null)
  renewing ??= renew().finally(() => {
    renewing = null
  })
  return renewing
}

/** As the browser's, with the session's token; a token that was refused before anything was done is renewed once. */
const call: typeof fetch = async (input, init) => {
  const token = session.value?.accessToken
  const answer = await fetch(input, withToken(init))
  if (answer.status !== 401 || token === undefined) return answer
  const { errno } = (await answer.clone().json()) as Envelope
  if (!RENEWED.has(errno) || !(await renewOnce(token))) return answer
  return fetch(input, withToken(init))
}

let had = ""
/** For the socket: asked again when the token that it had is about to end. */
const socketToken = async (): Promise<string> => {
  const token = session.value?.accessToken ?? ""
  if (had === token) await renewOnce(token)
  had = session.value?.accessToken ?? ""
  return had
}

export const gateway = new Gateway({
  url: location.origin,
  fetch: (input, init) => call(input, init),
  patienceMs: 15_000,
  centrifuge: { getToken: socketToken, minReconnectDelay: 200, maxReconnectDelay: 2_000 },
})

/** What a refusal says to a person: the words and what they are about, without the call's name. */
export const wordsOf = (error: unknown): string => {
  if (error instanceof GatewayError) return error.message.replace(/^(GET|POST) [\w/]+: /, "")
  return error instanceof Error ? error.message : String(error)
}
