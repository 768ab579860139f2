// The smallest program: connect, say so, leave.
import { connect } from "./gateway.mjs"

const client = await connect()
console.log(`connected: ${client.state}`)
client.disconnect()
