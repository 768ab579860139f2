/** What one client may have and send. Every one of them stands in asyncapi.json and on /docs/realtime. */

/** Of one WebSocket message from a client; a longer one ends the connection with 1009. */
export const MESSAGE_BYTES_MAX = 65_536

/** Channels of one connection; one more is error 106. */
export const CHANNELS_MAX = 1000

/** Of a channel's name; a longer one is error 107. */
export const CHANNEL_BYTES_MAX = 255
