/** Both account stores, for tests that hold one contract against each. */
import { testDatabase } from "../../kit/servers/database.ts"
import { memoryRig, type Rig, sqlRig } from "./account-store-rig.ts"

const inPostgres = (arraysOnly: boolean) => async (): Promise<Rig> => {
  const database = await testDatabase()
  const rig = await sqlRig(database, arraysOnly)
  const close = async () => {
    await rig.close()
    await database.drop()
  }
  return { ...rig, close }
}

export const implementations: ReadonlyArray<readonly [name: string, open: () => Promise<Rig>]> = [
  ["in memory", async () => memoryRig()],
  ["in PostgreSQL", inPostgres(false)],
  ["in PostgreSQL, by arrays", inPostgres(true)],
]
