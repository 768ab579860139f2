/**
 * Who is signed in here. The access token is in memory alone, and the session goes on by a cookie that no script reads. The one thing to
 * know: a renewal is made by one tab at a time, since each takes the place of the cookie that the next one sends.
 */
import { batch, computed, signal } from "@preact/signals"
import { type components, ERRNO, Gateway, GatewayError, NoAnswer } from "../../clients/typescript/src/index.ts"
import { untouchedMs } from "./keyboard.ts"
import { endsSession, pauseAfter, renewalAfter, retryAfterOf } from "./pace.ts"

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

/** The gateway lets the console change something. */
export const canChange = (): boolean => session.value?.mode === "on"

export const may = (permission: "read" | "write" | "admin"): boolean =>
  session.value?.permissions.includes(permission) === true && (permission !== "write" || canChange())

/** A token that was refused: another one may be had. */
const RENEWED: ReadonlySet<number> = new Set([ERRNO.TOKEN_EXPIRED, ERRNO.SESSION_REVOKED, ERRNO.INVALID_TOKEN])

/** The gateway refused, in its own words; or what stands before it did, in none that are told here. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly errno: number
  readonly retryAfterMs: number | null
  /** The gateway's own word, not one of a proxy. */
  readonly isGateways: boolean
  constructor({ status, headers }: Response, envelope: Failure | null) {
    super(envelope?.error ?? `no answer of the gateway, HTTP ${status}`)
    this.status = status
    this.code = envelope?.details?.code ?? ""
    this.errno = envelope?.errno ?? 0
    this.retryAfterMs = retryAfterOf(headers.get("Retry-After"), Date.now())
    this.isGateways = envelope !== null
  }
}

type Failure = Envelope & { readonly details?: { readonly code?: string } }
const envelopeOf = async (response: Response): Promise<Failure | null> => {
  try {
    const envelope = JSON.parse(await response.text()) as Failure | null
    return typeof envelope?.success === "boolean" ? envelope : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

type Act = "open" | "signup" | "verify" | "reauthenticate" | "renew" | "end"
const ask = async (act: Act, body: object, token?: string): Promise<unknown> => {
  const response = await fetch(`/console/session/${act}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  })
  const envelope = await envelopeOf(response)
  if (envelope?.success !== true) throw new Refused(response, envelope)
  return envelope.data
}

/** A cookie may be there: without it nobody is asked who that is. */
const WAS_HERE = "console.session"
export const mayGoOn = (): boolean => localStorage.getItem(WAS_HERE) !== null

/** Why the session could not be renewed; it is tried again by itself. Null: nothing is wrong. */
export const trouble = signal<string | null>(null)
let troubles = 0
/** Until then a renewal is not asked for again. */
let quietUntil = 0

let timer: ReturnType<typeof setTimeout> | undefined
const renewAfter = (ms: number): void => {
  clearTimeout(timer)
  timer = setTimeout(() => void renewNow().catch(() => undefined), ms)
}
const calm = (): void => {
  clearTimeout(timer)
  troubles = 0
  quietUntil = 0
  trouble.value = null
}

const enter = (next: ConsoleSession): void => {
  localStorage.setItem(WAS_HERE, "1")
  calm()
  renewAfter(renewalAfter(next.accessToken))
  batch(() => {
    farewell.value = null
    session.value = next
  })
}

/** No session any more: whatever was shown of it goes with it. */
export const leave = (why: string | null): void => {
  calm()
  localStorage.removeItem(WAS_HERE)
  farewell.value = why
  session.value = null
}

const locked = <A>(work: () => Promise<A>): Promise<A> =>
  navigator.locks === undefined ? work() : navigator.locks.request("console-session", work)

/**
 * By the cookie. False: there is no session to go on with. Without a word on that (the network, a limit, a gateway in trouble) it throws,
 * the user stays signed in, and it is tried again by itself.
 */
export const renew = async (): Promise<boolean> => {
  try {
    enter((await locked(() => ask("renew", {}))) as ConsoleSession)
    return true
  } catch (error) {
    if (error instanceof Refused && error.isGateways && endsSession(error.status)) {
      leave(session.value ? "Your session has ended. Sign in again." : null)
      return false
    }
    // Null: a sign-in that says by itself what is wrong.
    if (session.value !== null) {
      const wait = pauseAfter(troubles++, error instanceof Refused ? error.retryAfterMs : null, Math.random())
      quietUntil = Date.now() + wait
      trouble.value = wordsOf(error)
      renewAfter(wait)
    }
    throw error
  }
}

export const open = async (email: string, password: string, totpCode: string): Promise<void> => {
  const body = totpCode === "" ? { email, password } : { email, password, totpCode }
  enter((await locked(() => ask("open", body))) as ConsoleSession)
}

type Schemas = components["schemas"]

/** Null: signed in. Otherwise what the gateway answered in place of a session. */
const entered = async <A extends object>(act: "signup" | "verify", body: object): Promise<A | null> => {
  const answer = (await locked(() => ask(act, body))) as ConsoleSession | A
  if (!("accessToken" in answer)) return answer
  enter(answer)
  return null
}

/** The user: a mail is on its way, its token opens the session. */
export const signUp = (body: Schemas["Signup"]): Promise<Schemas["User"] | null> => entered("signup", body)

/** How far the change of the address is, of a token for that. */
export const verify = (body: Schemas["Verify"]): Promise<Schemas["EmailChange"] | null> => entered("verify", body)

/** The session goes on with new tokens, and dangerous acts are done again. A token that is over is renewed first. */
export const reauthenticate = async (body: Schemas["Reauthenticate"]): Promise<void> => {
  const prove = async (): Promise<unknown> => locked(() => ask("reauthenticate", body, session.value?.accessToken))
  const token = session.value?.accessToken
  const answer = await prove().catch(async (error: unknown) => {
    if (!(error instanceof Refused) || !RENEWED.has(error.errno) || !(await renewOnce(token))) throw error
    return prove()
  })
  enter(answer as ConsoleSession)
}

export const end = async (why = "You are signed out."): Promise<void> => {
  const fault = await locked(() => ask("end", {})).then(() => null, wordsOf)
  leave(
    fault === null
      ? why
      : `This page has forgotten you, but the gateway did not confirm that the session has ended (${fault}). Sign in and out again, or end it under Keys.`,
  )
}

const LOOK_MS = 5_000
let isEnding = false
// By itself the session goes on for as long as the page is open: renewals and the socket ask for it. The gateway cannot tell those from a user.
setInterval(() => {
  const idle = session.value?.idleSeconds ?? null
  if (isEnding || idle === null || untouchedMs() <= idle * 1_000) return
  isEnding = true
  void end(`Nothing was done here for ${Math.round(idle / 60)} minutes: your session was ended.`).finally(() => {
    isEnding = false
  })
}, LOOK_MS)

const withToken = (init: RequestInit | undefined): RequestInit => {
  const headers = new Headers(init?.headers)
  const token = session.value?.accessToken
  if (token !== undefined) headers.set("Authorization", `Bearer ${token}`)
  return { ...init, headers }
}

/** Of a token that another call has renewed meanwhile the newer one is used. */
let renewing: Promise<boolean> | null = null
function renewNow(): Promise<boolean> {
  renewing ??= renew().finally(() => {
    renewing = null
  })
  return renewing
}
const renewOnce = async (refused: string | undefined): Promise<boolean> => {
  if (session.value?.accessToken !== refused) return session.value !== null
  if (Date.now() < quietUntil) throw new Error(trouble.value ?? "the session is not renewed yet")
  return renewNow()
}

/** Whether there still is a session: asks, but not while a renewal has to wait. Throws while it cannot be known. */
export const proveSession = (): Promise<boolean> => renewOnce(session.value?.accessToken)

/** As the browser's, with the session's token; a token that was refused before anything was done is renewed once. */
const call: typeof fetch = async (input, init) => {
  const [token, user] = [session.value?.accessToken, session.value?.user.id]
  const answer = await fetch(input, withToken(init))
  if (answer.status !== 401 || token === undefined) return answer
  const envelope = await envelopeOf(answer.clone())
  if (envelope === null || !RENEWED.has(envelope.errno)) return answer
  // In trouble the refusal itself is the answer.
  if (!(await renewOnce(token).catch(() => false))) return answer
  // Another user came meanwhile: what one asked for is not done by the other.
  return session.value?.user.id === user ? fetch(input, withToken(init)) : answer
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
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof GatewayError || error instanceof NoAnswer ? text.replace(/^(GET|POST) [\w/]+: /, "") : text
}
