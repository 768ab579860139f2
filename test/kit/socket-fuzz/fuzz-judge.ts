/** Compares what came back for one message with what is correct. */

import { type Fields, isFields } from "./fuzz-fields.ts"
import type { Reading } from "./fuzz-frames.ts"
import { BAD_REQUEST, type FuzzState, outcomesOf, type World } from "./fuzz-rules.ts"

export interface Answer {
  /** Replies in their order, without pushes. */
  readonly replies: ReadonlyArray<Fields>
  /** The code with which the connection ended; undefined while it is open. */
  readonly closed: number | undefined
}

export interface Judgement {
  /** What is wrong; empty: nothing. */
  readonly fault: string
  readonly state: FuzzState
  /** After an error reply to connect nothing more is read. */
  readonly isDeaf: boolean
  /** An epoch that a reply told. */
  readonly epoch: string | undefined
}

/** Above this number of commands in one message a server may say that it is enough. */
const MANY = 5000
const TEMPORARY = [100, 111, 113]
const KNOWN = Array.from({ length: 14 }, (_, n) => 100 + n)

/** What is wrong with an error by itself. */
const errorFault = ({ code, message, temporary }: Fields): string => {
  if (typeof code !== "number" || !KNOWN.includes(code)) return `unknown error code ${code}`
  if (typeof message !== "string" || message === "") return `error ${code} without a message`
  return (temporary === true) === TEMPORARY.includes(code) ? "" : `error ${code} is temporary: ${temporary}`
}

/** Of a field that says what kind of subscription it is; what is no number says nothing. */
const isZero = (type: unknown): boolean => !Number.isSafeInteger(type) || type === 0

const after = (state: FuzzState, method: string, request: Fields): FuzzState => {
  const { channel, token } = request
  if (method === "connect") return { ...state, isConnected: true, user: String(token) }
  if (method !== "subscribe" && method !== "unsubscribe") return state
  const subscribed = new Set(state.subscribed)
  const uncertain = new Set(state.uncertain)
  const name = String(channel)
  subscribed.delete(name)
  uncertain.delete(name)
  if (method === "subscribe") (isZero(request["type"]) ? subscribed : uncertain).add(name)
  return { ...state, subscribed, uncertain }
}

export const judge = (reading: Reading, answer: Answer, before: FuzzState, world: World): Judgement => {
  const { replies, closed } = answer
  let state = before
  let epoch: string | undefined
  const result = (fault: string, isDeaf = false): Judgement => ({ fault, state, isDeaf, epoch })

  if (reading.is === "closed") {
    if (closed !== undefined && reading.codes.includes(closed) && replies.length === 0) return result("")
    return result(`closed ${closed} with ${replies.length} replies, not one of ${reading.codes}`)
  }
  const { commands } = reading
  const isBad = commands.some(({ method }) => method === "bad" || method === "pong")
  // What is malformed anywhere may end the connection before the rest of the message is played.
  if (isBad && closed === BAD_REQUEST && replies.length === 0) return result("")

  let next = 0
  for (const [index, { id, method, key, request }] of commands.entries()) {
    const where = `command ${index + 1} of ${commands.length}, ${method}`
    const isLast = next === replies.length
    if (method === "bad" || method === "pong") {
      if (isLast && closed === BAD_REQUEST) return result("")
      return result(`${where}: closed ${closed} with ${replies.length - next} more replies, not ${BAD_REQUEST}`)
    }
    const right = outcomesOf(method, request, state, world)
    if (right.isSilent) continue
    if (isLast) {
      if (closed !== undefined && (right.closes.includes(closed) || (closed === 3013 && commands.length > MANY)))
        return result("")
      return result(`${where}: no reply, closed ${closed}; right: closes ${right.closes}, errors ${right.errors}`)
    }
    const reply = replies[next++] ?? {}
    if (reply["id"] !== id) return result(`${where}: id ${reply["id"]} instead of ${id}`)
    const error = reply["error"]
    if (isFields(error)) {
      const fault = errorFault(error)
      if (fault !== "") return result(`${where}: ${fault}`)
      if (!right.errors.includes(Number(error["code"])))
        return result(
          `${where}: error ${error["code"]}; right: closes ${right.closes}, errors ${right.errors}, or a result: ${right.result !== undefined}`,
        )
      if (method === "connect") return result("", true)
      continue
    }
    const found = reply[key]
    if (!isFields(found))
      return result(`${where}: neither ${key} nor an error in ${JSON.stringify(reply).slice(0, 200)}`)
    if (right.result === undefined)
      return result(`${where}: a result; right: closes ${right.closes}, errors ${right.errors}`)
    const fault = right.result(found)
    if (fault !== "") return result(`${where}: ${fault}`)
    if (typeof found["epoch"] === "string") epoch = found["epoch"]
    state = after(state, method, request)
  }
  if (next < replies.length) return result(`${replies.length - next} replies that nothing asked for`)
  return closed === undefined ? result("") : result(`closed ${closed} after all was answered`)
}
