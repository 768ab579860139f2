/** `POST /api` and `POST /api/<method>`: the server API of the test profile over HTTP. */
import { ERRORS } from "../protocol/error-codes.ts"
import { JsonSource, jsonIn } from "../protocol/json-source.ts"
import { written } from "./api-method.ts"
import type { ServerApi } from "./server-api.ts"

/** What is used of a uWebSockets request, response and app; only `server` imports the package itself. */
interface ApiRequest {
  getHeader(lowerCaseName: string): string
  getParameter(index: number): string | undefined
}
interface ApiResponse {
  onAborted(handler: () => void): unknown
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown
  cork(write: () => void): unknown
  writeStatus(status: string): unknown
  writeHeader(name: string, value: string): unknown
  end(body: string, closeConnection?: boolean): unknown
}
export interface ApiApp {
  post(pattern: string, handler: (res: ApiResponse, req: ApiRequest) => void): unknown
}

export interface ServerApiRoutes {
  readonly api: ServerApi
  /** `*`: no key is asked for. */
  readonly keys: ReadonlyArray<string>
  /** A method threw: the answer is 500, this is for the operator. */
  readonly onDefect: (error: unknown) => void
}

const BODY_BYTES_MAX = 1_048_576

interface Reply {
  readonly status: string
  readonly body: string
}

const json = (value: unknown, status = "200 OK"): Reply => ({ status, body: written(value) })
const error = ({ code, message }: { readonly code: number; readonly message: string }): unknown => ({
  error: { code, message },
})

const UNAUTHORIZED = json(error({ code: 401, message: "unauthorized" }), "401 Unauthorized")
const TOO_LARGE = json(error({ code: 413, message: "request entity too large" }), "413 Payload Too Large")
const NOT_FOUND = json(error(ERRORS.methodNotFound), "404 Not Found")
const BROKEN = json(error(ERRORS.internal), "500 Internal Server Error")

const keyOf = (req: ApiRequest): string => {
  const [scheme, key = ""] = req.getHeader("authorization").split(" ")
  return scheme?.toLowerCase() === "apikey" ? key : req.getHeader("x-api-key")
}

const NOTHING = new JsonSource("{}")

/** The parameters in a body; an empty one has none. Undefined: it is no JSON. */
const parametersIn = (body: Buffer): JsonSource | undefined => {
  if (body.length === 0) return NOTHING
  const text = jsonIn(body)
  return text === undefined ? undefined : new JsonSource(text)
}

const nameAndParameters = (value: unknown): { readonly method?: unknown; readonly params?: unknown } =>
  value !== null && typeof value === "object" ? value : {}

/** Registers the routes; before `listen`, as every route. */
export const serveServerApi = (app: ApiApp, { api, keys, onDefect }: ServerApiRoutes): void => {
  const isOpen = keys.includes("*")

  const call = (named: string | undefined, body: Buffer): Reply => {
    const source = parametersIn(body)
    const value: unknown = source === undefined ? undefined : JSON.parse(source.text)
    if (named !== undefined) {
      const answer = api(named, value, source ?? NOTHING)
      return answer === undefined ? NOT_FOUND : json(answer)
    }
    const { method, params = {} } = nameAndParameters(value)
    if (typeof method !== "string") return json(error(ERRORS.badRequest))
    return json(api(method, params, source?.member("params") ?? NOTHING) ?? error(ERRORS.methodNotFound))
  }

  // uWebSockets ends the process when a handler throws, or when an aborted response is touched.
  const serve = (res: ApiResponse, req: ApiRequest, named: string | undefined): void => {
    const isAllowed = isOpen || keys.includes(keyOf(req))
    const chunks: Array<Buffer> = []
    let bytes = 0
    let over = false
    const answer = ({ status, body }: Reply, closeConnection = false): void => {
      over = true
      res.cork(() => {
        res.writeStatus(status)
        res.writeHeader("Content-Type", "application/json")
        res.end(body, closeConnection)
      })
    }
    res.onAborted(() => {
      over = true
    })
    res.onData((chunk, isLast) => {
      if (over) return
      bytes += chunk.byteLength
      if (bytes > BODY_BYTES_MAX) return answer(TOO_LARGE, true)
      // The chunk's memory is uWebSockets' own again when this returns.
      chunks.push(Buffer.from(new Uint8Array(chunk)))
      if (!isLast) return
      if (!isAllowed) return answer(UNAUTHORIZED)
      let reply = BROKEN
      try {
        reply = call(named, Buffer.concat(chunks))
      } catch (defect) {
        onDefect(defect)
      }
      answer(reply)
    })
  }

  app.post("/api", (res, req) => serve(res, req, undefined))
  app.post("/api/:method", (res, req) => serve(res, req, req.getParameter(0) ?? ""))
}
