// Signs you up, or in, and makes an API key for bots: it may trade, and nothing that needs your password. It is shown this once.
import { Gateway, GatewayError } from "@venue-gateway/client"

const { GATEWAY_URL = "http://127.0.0.1:8080", EMAIL = "me@example.com", PASSWORD = "a good password" } = process.env
const person = { email: EMAIL, password: PASSWORD }

await new Gateway({ url: GATEWAY_URL }).post("auth/signup", person).catch((error) => {
  // There is such a user already.
  if (!(error instanceof GatewayError)) throw error
})
const gateway = new Gateway({ url: GATEWAY_URL, as: person })
const { apiKey } = await gateway.post("apiKey/create", { name: "first bot", scopes: ["trade"] })
console.log(`export GATEWAY_KEY=${apiKey}`)
