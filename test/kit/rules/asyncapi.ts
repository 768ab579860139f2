/** The AsyncAPI document as tests read it, and a judge that says which of a channel's messages a publication is. */
import { Ajv, type ValidateFunction } from "ajv"
import type { ChannelKind } from "../../../src/domain/channel.ts"
import { type ChannelKinds, channelKinds } from "../../../src/ws/channels/kinds.ts"
import { asyncApiDocument } from "../../../src/ws/docs/asyncapi.ts"

type Ref = { readonly $ref: string }

export interface AsyncMessage {
  readonly name: string
  readonly payload: object
  readonly examples?: ReadonlyArray<{ readonly name: string; readonly payload: unknown }>
}

export interface AsyncChannel {
  readonly address: string | null
  readonly description?: string
  readonly parameters?: Readonly<Record<string, { readonly examples: ReadonlyArray<string> }>>
  readonly messages: Readonly<Record<string, Ref>>
  readonly "x-kind"?: ChannelKind
  readonly "x-type"?: "stream" | "map"
  readonly "x-settings"?: object
  readonly "x-tags"?: ReadonlyArray<string>
}

export interface AsyncDocument {
  readonly channels: Readonly<Record<string, AsyncChannel>>
  readonly operations: Readonly<
    Record<
      string,
      {
        readonly action: string
        readonly channel: Ref
        readonly messages: ReadonlyArray<Ref>
        readonly reply?: { readonly channel: Ref; readonly messages: ReadonlyArray<Ref> }
      }
    >
  >
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly messages: Readonly<Record<string, AsyncMessage>>
  }
  readonly "x-protocol": {
    readonly messageBytesMax: number
    readonly errors: ReadonlyArray<object>
    readonly closes: ReadonlyArray<object>
    readonly unsubscribes: ReadonlyArray<object>
    readonly rpcMethods: ReadonlyArray<string>
  }
}

export const asyncDocument = (kinds: ChannelKinds = channelKinds(10)): AsyncDocument =>
  asyncApiDocument({ version: "3.0.1", kinds, rpcMethods: ["market.orderbook.get"] }) as unknown as AsyncDocument

/** What a schema does not name is refused: a record that gains a field must gain it in the document too. */
const closed = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(closed)
  if (node === null || typeof node !== "object") return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return "properties" in copy && !("oneOf" in copy) ? { additionalProperties: false, ...copy } : copy
}

/** Answers the names of the channel's messages whose schema accepts `value`; `faults` say why the others do not. */
export interface Judge {
  readonly accepted: (channel: string, value: unknown) => ReadonlyArray<string>
  readonly faults: (channel: string, value: unknown) => ReadonlyArray<string>
}

export const judge = (document: AsyncDocument): Judge => {
  const ajv = new Ajv({ strict: false })
  const { components } = closed({ components: document.components }) as Pick<AsyncDocument, "components">
  ajv.addSchema({ $id: "doc", components })
  const compiled = new Map<string, ReadonlyArray<readonly [name: string, check: ValidateFunction]>>()
  const checksOf = (channel: string) => {
    const known = compiled.get(channel)
    if (known !== undefined) return known
    const refs = Object.values(document.channels[channel]?.messages ?? {})
    const checks = refs.map(({ $ref }) => {
      const name = $ref.replace("#/components/messages/", "")
      return [name, ajv.compile({ $ref: `doc#/components/messages/${name}/payload` })] as const
    })
    compiled.set(channel, checks)
    return checks
  }
  return {
    accepted: (channel, value) => checksOf(channel).flatMap(([name, check]) => (check(value) ? [name] : [])),
    faults: (channel, value) =>
      checksOf(channel).flatMap(([name, check]) => (check(value) ? [] : [`${name}: ${ajv.errorsText(check.errors)}`])),
  }
}
