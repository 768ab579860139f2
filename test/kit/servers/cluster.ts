/** Several gateways on one database, with a broker: processes of their own, as on several machines. */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { type Gateway, type Launched, launchGateway, until } from "./gateway.ts"

const key = (kid: string): string => `${kid}:${randomBytes(32).toString("base64url")}`

/** What all nodes are given alike. */
export const sharedKeys = (): Readonly<Record<string, string>> => ({
  SIGNING_KEY: generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  ENCRYPTION_KEYS: key("k1"),
  CURSOR_KEY: key("c1"),
})

/** What a node says of itself when it has become the one that owns the database. */
export interface CoreWord {
  readonly nodeId: string
  readonly term: number
  readonly setupToken?: string
}

export interface ClusterProcess extends Gateway {
  readonly nodeId: string
  /** Undefined: it does not own the database. */
  readonly core: () => CoreWord | undefined
}

/** Serves when it resolves, whether or not it owns the database. `began`: with the process, which leads a group of its own. */
export const startClusterNode = async (
  nodeId: string,
  env: Readonly<Record<string, string>>,
  built?: boolean,
  began: (pid: number) => void = () => {},
): Promise<ClusterProcess> => {
  const launched: Launched = launchGateway({ env: { ...env, NODE_ID: nodeId }, built })
  began(launched.pid)
  const ready = await launched.ready
  return {
    ...launched,
    ...ready,
    nodeId,
    stop: () => {
      launched.kill("SIGTERM")
      return launched.exited
    },
    core: () => {
      const line = launched.stdout.find((one) => one.startsWith("core "))
      return line === undefined ? undefined : JSON.parse(line.slice("core ".length))
    },
  }
}

/** The one that owns the database, once there is one among them. */
export const ownerOf = (nodes: ReadonlyArray<ClusterProcess>): Promise<ClusterProcess> =>
  until(
    () => `a node to own the database:\n${nodes.map(({ stderr }) => stderr().slice(-1_000)).join("\n")}`,
    () => nodes.find((node) => node.core() !== undefined),
  )
