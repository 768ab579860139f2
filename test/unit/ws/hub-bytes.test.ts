/** A publication that is no JSON, at the hub: for the topics of Protobuf alone. */
import type { TemplatedApp } from "uWebSockets.js"
import { expect, it } from "vitest"
import { Hub } from "../../../src/ws/fanout/hub.ts"
import { jsonCodec } from "../../../src/ws/protocol/codec-json.ts"
import { protobufCodec } from "../../../src/ws/protocol/codec-protobuf.ts"
import { openNamespaces } from "../../../src/ws/test-profile/open-namespaces.ts"

it("a publication that is no JSON goes to Protobuf topics alone", () => {
  const sent: Array<boolean> = []
  const app = { publish: (_topic: string, _frame: unknown, isBinary: boolean) => sent.push(isBinary) }
  const hub = new Hub(app as unknown as TemplatedApp, () => 0)
  const settings = openNamespaces(null).get("")?.settings
  if (settings === undefined) throw new Error("no namespace")
  const source = { opened: () => {}, closed: () => {}, position: () => ({ epoch: "e", offset: 0, snapshot: null }) }
  const stream = hub.open({ canonical: "a", settings, source })
  for (const codec of [jsonCodec, protobufCodec])
    hub.enter(stream, "a", { codec, delta: false, filter: undefined, compact: undefined })
  hub.publish("a", { epoch: "e", offset: 1, json: "", bytes: Uint8Array.of(255) })
  expect(sent).toEqual([true])
  hub.publish("a", { epoch: "e", offset: 2, json: "{}" })
  expect(sent).toEqual([true, false, true])
})
