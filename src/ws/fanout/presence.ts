/** Presence, and join and leave events of a channel (realtime A.6); only where the channel settings enable them. */
import type { Credentials, Granted } from "../channels/authority.ts"
import type { ClientInfo } from "../protocol/protocol.ts"
import type { Hub } from "./hub.ts"
import type { Stream } from "./stream.ts"

export const clientInfo = (client: string, credentials: Credentials, { info }: Granted): ClientInfo => ({
  user: credentials.user,
  client,
  ...(credentials.info === null ? undefined : { conn_info: credentials.info }),
  ...(info === null ? undefined : { chan_info: info }),
})

export const arrive = (hub: Hub, stream: Stream, info: ClientInfo): void => {
  const { presence, joinLeave } = stream.served.settings
  if (!presence && !joinLeave) return
  stream.present.set(info.client, info)
  if (joinLeave) hub.announce(stream, ({ name, variant }) => variant.codec.push(name, { kind: "join", body: { info } }))
}

export const depart = (hub: Hub, stream: Stream, client: string): void => {
  const info = stream.present.get(client)
  if (info === undefined) return
  stream.present.delete(client)
  if (stream.served.settings.joinLeave)
    hub.announce(stream, ({ name, variant }) => variant.codec.push(name, { kind: "leave", body: { info } }))
}
