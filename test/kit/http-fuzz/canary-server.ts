/** A server with one route that no legitimate request uses, and a count of its calls; the routes are mounted as the gateway's own are. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { Ok } from "../../../src/http/edge/envelope.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import { Access } from "../../../src/http/edge/route.ts"
import { serveTest } from "../servers/http-server.ts"

const Any = Ok(Schema.Unknown)

const Group = HttpApiGroup.make("test")
  .add(HttpApiEndpoint.get("canary", "/canary").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("facts", "/facts").addSuccess(Any).annotate(Access, "none"))
  .add(
    HttpApiEndpoint.post("echo", "/echo")
      .setPayload(Schema.Struct({ word: Schema.optional(Schema.String) }))
      .addSuccess(Any)
      .annotate(Access, "none"),
  )

export interface CanaryServer {
  readonly port: number
  /** The request ids of those that were served. */
  readonly canaries: () => ReadonlyArray<string>
  readonly defects: () => ReadonlyArray<unknown>
  /** Of an ordinary answer, in order. */
  readonly headerNames: ReadonlyArray<string>
  readonly close: () => void
}

export const serveCanary = async (): Promise<CanaryServer> => {
  const canaries: Array<string> = []
  const handlers: HandlersOf<typeof Group> = {
    test: {
      canary: ({ request }, reply) => {
        canaries.push(request.requestId)
        reply.ok("canary")
      },
      facts: ({ request }, reply) => reply.ok(request.requestId),
      echo: ({ body }, reply) => reply.ok(body),
    },
  }
  const http = await serveTest(HttpApi.make("test").add(Group), handlers)
  const plain = await fetch(`${http.url}/facts`)
  // Of the connection, and fetch's own affair.
  const headerNames = [...plain.headers.keys()].filter((name) => name !== "connection" && name !== "keep-alive").sort()
  return { port: http.port, canaries: () => canaries, defects: () => http.defects, headerNames, close: http.close }
}
