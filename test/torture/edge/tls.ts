/**
 * `npm run torture -- tls`: the direct TLS port as strangers see it (scoreboard S10): sslscan and testssl list what is offered, openssl tries
 * what must be refused, plain HTTP gets no answer, or on its own port 403; and the certificate was renewed under load.
 */
import { connect } from "node:net"
import { endGateways, startGateway } from "../../kit/servers/gateway.ts"
import { certificateFiles } from "../../kit/servers/http-certificate.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { renewals } from "./tls-renewal.ts"
import { need, run } from "./tool.ts"

const AEAD = /^(TLS_(AES|CHACHA20)|ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM|CHACHA20))/

/** What a port says to plain HTTP before it closes. */
const plainAnswer = (port: number): Promise<string> =>
  new Promise((resolve) => {
    let said = ""
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    socket.on("data", (bytes) => {
      said += bytes.toString("latin1")
    })
    socket.on("error", () => resolve(said))
    socket.on("close", () => resolve(said))
  })

export const tls = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  need("sslscan", "testssl", "openssl")
  const files = certificateFiles()
  const gateway = await startGateway({
    env: {
      NODE_ENV: "production",
      PLAIN_HTTP_PORT: "0",
      TLS_CERT_FILE: files.certFile,
      TLS_KEY_FILE: files.keyFile,
      // Ten sockets and every request come from one address.
      RATE_LIMITS: '{"http":{"perSecond":10000,"burst":10000},"socketsPerUser":100,"socketsPerAddress":100}',
    },
  })
  try {
    const { host, port } = new URL(gateway.http)
    progress(`sslscan ${host}`)
    const scan = await run("sslscan", ["--no-colour", host])
    const protocols = [...scan.text.matchAll(/^(SSLv[23]|TLSv1\.[0-3])\s+(enabled|disabled)/gm)]
    const enabled = protocols.filter(([, , state]) => state === "enabled").map(([, name]) => name)
    const suites = [...scan.text.matchAll(/^(?:Preferred|Accepted)\s+\S+\s+\d+ bits\s+(\S+)/gm)].map(
      ([, it]) => it ?? "",
    )
    progress(`openssl s_client: old versions`)
    const old: Array<string> = []
    for (const version of ["-tls1", "-tls1_1"]) {
      const words = await run("openssl", ["s_client", version, "-cipher", "ALL:@SECLEVEL=0", "-connect", host], 20_000)
      if (/^\s*Cipher\s*:\s*(?!0000)\S+/m.test(words.text) || /New, TLSv/.test(words.text)) old.push(version)
    }
    progress("testssl: a minute or two")
    const test = await run(
      "testssl",
      [
        "--quiet",
        "--color",
        "0",
        "--warnings",
        "batch",
        "-p",
        "-s",
        "-f",
        "-R",
        "-H",
        "-I",
        "-T",
        "-B",
        "-F",
        "-Z",
        "-W",
        host,
      ],
      400_000,
    )
    const holes = test.text
      .split("\n")
      .filter((line) => /\bVULNERABLE\b|NOT ok/.test(line) && !/not vulnerable/i.test(line))
    const looked = (test.text.match(/not vulnerable|not offered/gi) ?? []).length
    const said = await plainAnswer(Number(port))
    const beside = /"plain HTTP is refused","url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(gateway.stderr())?.[1]
    const told = await plainAnswer(Number(beside))
    progress("renewals: the certificate is changed under load")
    const renewed = await renewals(gateway, files)
    return [
      {
        name: "versions",
        passed: protocols.length === 6 && enabled.join(" ") === "TLSv1.2 TLSv1.3",
        says: `sslscan: ${enabled.join(", ")} of ${protocols.length} looked for`,
      },
      none("versions that openssl got although they are refused", old, "2"),
      {
        ...none(
          "suites without AEAD or forward secrecy",
          suites.filter((it) => !AEAD.test(it)),
          `${suites.length}`,
        ),
        passed: suites.length >= 6 && suites.every((it) => AEAD.test(it)),
      },
      { ...none("testssl", holes, `${looked} findings`), passed: holes.length === 0 && looked > 10 },
      { name: "plain HTTP", passed: said === "", says: `${said.length} bytes of answer, then closed` },
      {
        name: "PLAIN_HTTP_PORT",
        passed: told.startsWith("HTTP/1.1 403 ") && told.includes("-102005") && !/^location:/im.test(told),
        says: `${told.split("\r\n")[0]}, then closed`,
      },
      ...renewed,
    ]
  } finally {
    await endGateways()
    files.remove()
  }
}
