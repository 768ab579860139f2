/** Both account stores, for tests that hold one contract against each. */
import { testDatabase } from "../../kit/servers/database.ts"
import { memoryRig, type Rig, sqlRig } from "./account-store-rig.ts"

export const implementations: ReadonlyArray<readonly [name: string, open: () => Promise<Rig>]> = [
  ["in memory", async () => memoryRig()],
  [
    "in PostgreSQL",
    async () => {
      const database = await testDatabase()
      const rig = await sqlRig(database)
      const close = async () => {
        await rig.close()
        await database.drop()
      }
      return { ...rig, close }
    },
  ],
]
