/** The AsyncAPI document, with the gateway's default settings. */
import { readSettings } from "../src/config.ts"
import { SERVICE } from "../src/http/api.ts"
import { rpcMethods } from "../src/http/rpc/rpc.ts"
import { channelKinds } from "../src/ws/channels/kinds.ts"
import { asyncApiDocument } from "../src/ws/docs/asyncapi.ts"

export const asyncApiPage = (): string => {
  const kinds = channelKinds(readSettings({}).wsFlushMillis)
  const document = asyncApiDocument({ version: SERVICE.version, kinds, rpcMethods: rpcMethods() })
  return `${JSON.stringify(document, null, 2)}\n`
}
