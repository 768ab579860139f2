/**
 * A certificate renewed again and again under connections that never stop coming: nobody is refused or cut, everybody is shown the new one from
 * the moment the gateway says so, with and without a server name, and the port stays one process's alone.
 */
import { X509Certificate } from "node:crypto"
import { type Agent, request } from "node:https"
import { connect } from "node:tls"
import { Effect } from "effect"
import { type ClientOptions, WebSocket } from "ws"
import { makeServer, PortTaken } from "../../../src/http/edge/server.ts"
import { closeClients, connectClient } from "../../integration/gateway/markets/socket.ts"
import { type Gateway, until } from "../../kit/servers/gateway.ts"
import { type CertificateFiles, FIRST, SECOND } from "../../kit/servers/http-certificate.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"

const RENEWALS = 40
const SOCKETS = 10
const ca = [FIRST.certificate, SECOND.certificate]

class TrustingSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | Array<string>, options?: ClientOptions) {
    const tls = { ca, servername: "localhost" }
    super(url, protocols, { ...options, ...tls })
  }
}

const ask = (gateway: Gateway, path: string, body?: object, agent: Agent | false = false): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" }
    const method = body === undefined ? "GET" : "POST"
    const call = request(`${gateway.http}${path}`, { method, ca, servername: "localhost", headers, agent }, (reply) => {
      let text = ""
      reply.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      reply.on("end", () => (reply.statusCode === 200 ? resolve(text) : reject(new Error(`${reply.statusCode}`))))
    })
    call.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
  })

const shown = (port: number, servername?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", ca, checkServerIdentity: () => undefined }
    const socket = connect({ ...options, ...(servername === undefined ? {} : { servername }) }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? "none")
      socket.destroy()
    })
    socket.on("error", reject)
  })

const isTaken = async (port: number, files: CertificateFiles): Promise<boolean> => {
  const second = makeServer({ host: "127.0.0.1", port, production: false, tls: files, trustProxy: [] })
  const error = await Effect.runPromise(Effect.flip(second.listen))
  second.close()
  return error instanceof PortTaken
}

export const renewals = async (gateway: Gateway, files: CertificateFiles): Promise<ReadonlyArray<Verdict>> => {
  const port = Number(new URL(gateway.http).port)
  const signedUp = await ask(gateway, "/api/v3/auth/signup", {
    email: "renewals@example.com",
    password: "correct horse battery staple",
  })
  const { accessToken } = JSON.parse(signedUp).data
  const cut: Array<string> = []
  for (let i = 0; i < SOCKETS; i++) {
    const client = await connectClient(gateway, accessToken, TrustingSocket)
    client.on("connecting", ({ code }) => cut.push(`socket ${i}: ${code}`))
  }
  const refused: Array<string> = []
  let answers = 0
  let isOver = false
  const loops = Array.from({ length: 4 }, async () => {
    while (!isOver)
      await ask(gateway, "/api/v3/health/live").then(
        () => answers++,
        (error) => refused.push(String(error)),
      )
  })
  const words = "the certificate was renewed"
  const said = (): number => gateway.stderr().split(words).length - 1
  const old: Array<string> = []
  const lost: Array<string> = []
  for (let n = 0; n < RENEWALS; n++) {
    const pair = n % 2 === 0 ? SECOND : FIRST
    const expected = new X509Certificate(pair.certificate).serialNumber
    const [before, answered] = [said(), answers]
    files.write(pair)
    gateway.kill("SIGHUP")
    await until("a renewal, with requests around it", () => said() > before && answers > answered)
    for (const name of ["localhost", "elsewhere.example", undefined])
      if ((await shown(port, name)) !== expected) old.push(`renewal ${n}, ${name ?? "no name"}`)
    if (!(await isTaken(port, files))) lost.push(`renewal ${n}`)
  }
  isOver = true
  await Promise.all(loops)
  const verdicts = [
    none(`sockets cut by ${RENEWALS} renewals`, cut, `${SOCKETS}`),
    none("requests on new connections that failed meanwhile", refused, `${answers + refused.length}`),
    none("connections that were shown an old certificate", old, `${3 * RENEWALS}, a third of them without SNI`),
    none("times that a second gateway got the port", lost, `${RENEWALS}`),
  ]
  closeClients()
  return verdicts
}
