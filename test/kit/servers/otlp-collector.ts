/** An OpenTelemetry collector of the test's own on loopback: keeps what it is sent, or refuses it, or never answers. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}
type Attributes = ReadonlyArray<Attribute>

/** OTLP 1.x as JSON, as far as it is read here. */
export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Attributes
}
interface DataPoint {
  readonly asDouble: number
  readonly attributes: Attributes
}
export interface ReceivedMetric {
  readonly name: string
  readonly sum?: { readonly dataPoints: ReadonlyArray<DataPoint> }
  readonly histogram?: { readonly dataPoints: ReadonlyArray<unknown> }
}
export interface ReceivedLog {
  readonly traceId?: string
  readonly body: { readonly stringValue: string }
  readonly attributes: Attributes
}
interface Body {
  readonly resourceSpans?: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: Array<ReceivedSpan> }>
  }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: Array<ReceivedMetric> }>
  }>
  readonly resourceLogs?: ReadonlyArray<{
    readonly resource: { readonly attributes: Attributes }
    readonly scopeLogs: ReadonlyArray<{ readonly logRecords: Array<ReceivedLog> }>
  }>
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}

export interface Collector {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly refused: () => number
  /** Requests that wait for an answer. */
  readonly waiting: () => number
  /** `hang`: takes requests and never answers; `endless`: answers 200 with a body that has no end. */
  readonly answer: (how: number | "hang" | "endless") => void
  readonly spans: () => ReadonlyArray<ReceivedSpan>
  readonly metrics: () => ReadonlyArray<ReceivedMetric>
  readonly logs: () => ReadonlyArray<ReceivedLog>
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
  /** What a request brings in all its groups. */
  const of = <A>(read: (body: Body) => ReadonlyArray<ReadonlyArray<A>> | undefined): ReadonlyArray<A> =>
    received.flatMap(({ body }) => read(body)?.flat() ?? [])
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    received,
    refused: () => refused,
    waiting: () => waiting,
    answer: (next) => {
      how = next
    },
    spans: () => of((body) => body.resourceSpans?.flatMap((it) => it.scopeSpans.map(({ spans }) => spans))),
    metrics: () => of((body) => body.resourceMetrics?.flatMap((it) => it.scopeMetrics.map(({ metrics }) => metrics))),
    logs: () => of((body) => body.resourceLogs?.flatMap((it) => it.scopeLogs.map(({ logRecords }) => logRecords))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
