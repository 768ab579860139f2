/** An OpenTelemetry collector of the test's own on loopback: keeps what it is sent, or refuses it, or never answers. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: OTLP's own shape, read field by field
  readonly body: any
}

export interface Collector {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly refused: () => number
  /** Requests that wait for an answer. */
  readonly waiting: () => number
  /** `hang`: takes requests and never answers; `endless`: answers 200 with a body that has no end. */
  readonly answer: (how: number | "hang" | "endless") => void
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly spans: () => ReadonlyArray<any>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly metrics: () => ReadonlyArray<any>
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly logs: () => ReadonlyArray<any>
  readonly close: () => Promise<void>
}

/** `port`: of one that was closed, so that it is back; `elsewhere`: named in every answer. */
export const startCollector = async (port = 0, elsewhere?: string): Promise<Collector> => {
  const received: Array<Received> = []
  let waiting = 0
  let refused = 0
  let how: number | "hang" | "endless" = 200
  const chatter = Buffer.alloc(65_536, "x")
  const talk = (response: ServerResponse): void => {
    while (response.write(chatter));
    response.once("drain", () => talk(response))
  }
  const server: Server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    waiting++
    response.on("close", () => waiting--)
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (how === "hang") return
      if (how === 200 || how === "endless")
        received.push({
          path: request.url ?? "",
          headers: request.headers,
          body: JSON.parse(Buffer.concat(chunks).toString("utf8")),
        })
      else refused++
      if (how === "endless") return talk(response)
      const location = elsewhere === undefined ? undefined : { Location: `${elsewhere}${request.url}` }
      response.writeHead(how, { "Content-Type": "application/json", ...location }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const address = server.address()
  const of = (path: string) => received.filter((one) => one.path === path).map(({ body }) => body)
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    received,
    refused: () => refused,
    waiting: () => waiting,
    answer: (next) => {
      how = next
    },
    spans: () =>
      of("/v1/traces").flatMap((body) => body.resourceSpans[0].scopeSpans[0].spans as ReadonlyArray<unknown>),
    metrics: () =>
      of("/v1/metrics").flatMap((body) => body.resourceMetrics[0].scopeMetrics[0].metrics as ReadonlyArray<unknown>),
    logs: () =>
      of("/v1/logs").flatMap((body) => body.resourceLogs[0].scopeLogs[0].logRecords as ReadonlyArray<unknown>),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
