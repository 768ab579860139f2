/** The embedded database as another program of the same installation finds it: running under its gateway, or stopped. */
import * as fs from "node:fs"
import * as path from "node:path"
import { connectDedicated, SqlUnavailable } from "../postgres/sql.ts"
import { passwordOf, prepareSocketDirectory, readOrCreateSecret, socketUrl } from "./cluster.ts"
import { chooseStateDirectory } from "./os-account.ts"

export type EmbeddedState =
  /** `url` is the application role's and holds its password: never log it. */
  | { readonly _tag: "Running"; readonly url: string }
  | { readonly _tag: "AtRest" }
  /** No gateway has ever run here. */
  | { readonly _tag: "Absent" }

export const findEmbedded = async (dataDir: string): Promise<EmbeddedState> => {
  if (!fs.existsSync(path.join(dataDir, "postgres"))) return { _tag: "Absent" }
  const { directory, account } = chooseStateDirectory(dataDir, () => undefined)
  const secretFile = path.join(directory, "password")
  if (!fs.existsSync(secretFile) || !fs.existsSync(path.join(directory, "cluster"))) return { _tag: "Absent" }
  const password = passwordOf(readOrCreateSecret(secretFile), "gateway")
  const url = socketUrl(prepareSocketDirectory(directory, account), "gateway", password, "gateway")
  try {
    await (await connectDedicated(url)).end()
    return { _tag: "Running", url }
  } catch (error) {
    if (error instanceof SqlUnavailable) return { _tag: "AtRest" }
    throw error
  }
}
