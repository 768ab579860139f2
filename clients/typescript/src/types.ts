/** Records of the gateway by name, and what each operation takes and answers: read off the generated declaration. */
import type { components, paths } from "./generated/openapi.ts"

type Schemas = components["schemas"]
export type TradeOrder = Schemas["TradeOrder"]
export type SubmitOrder = Schemas["SubmitOrder"]
export type Execution = Schemas["Execution"]
export type TradingAccount = Schemas["TradingAccount"]
export type Position = Schemas["PortfolioPosition"]
export type OrderBook = Schemas["OrderBook"]
export type Ticker = Schemas["Ticker"]
export type Instrument = Schemas["Security"]
export type Quote = Schemas["Quote"]
export type Session = Schemas["Session"]
export type Pagination = Schemas["Pagination"]

type Method = "get" | "post"
type Operation<M extends Method, P extends keyof paths> = paths[P][M]

/** `tradeOrder/list` for `/api/v3/tradeOrder/list`. */
export type Name<M extends Method> = {
  [P in keyof paths]: P extends `/api/v3/${infer N}`
    ? Operation<M, P> extends { responses: unknown }
      ? N
      : never
    : never
}[keyof paths] &
  string

type Named<M extends Method, N extends string> = `/api/v3/${N}` extends keyof paths
  ? Operation<M, `/api/v3/${N}`>
  : never

type EnvelopeOf<O> = O extends { responses: { 200: { content: { "application/json": infer E } } } } ? E : never

export type Data<M extends Method, N extends string> = EnvelopeOf<Named<M, N>> extends { data: infer D } ? D : never

export type Query<N extends string> =
  Named<"get", N> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never

export type Body<N extends string> =
  Named<"post", N> extends {
    requestBody?: { content: { "application/json": infer B } }
  }
    ? B
    : never

/** Lists that come in pages. */
export type ListName = {
  [N in Name<"get">]: EnvelopeOf<Named<"get", N>> extends { pagination: unknown } ? N : never
}[Name<"get">]

export type Item<N extends string> = Data<"get", N> extends ReadonlyArray<infer I> ? I : never
