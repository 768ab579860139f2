/** Every order of events around the lease, in the small; `npm run torture -- ownership` looks further, and takes out every condition in turn. */
import { expect, it } from "vitest"
import { withTestDatabase } from "../../../kit/servers/database.ts"
import { type Bounds, type Explored, explore } from "../../../torture/ownership/explore.ts"
import { CLUSTER_SMALL, LOCKS, SABOTAGES, SHARED_SABOTAGES, SMALL } from "../../../torture/ownership/ownership.ts"
import { ServerModel } from "../../../torture/ownership/server-model.ts"
import { exploreShards } from "../../../torture/ownership/shards.ts"

const database = withTestDatabase()

const explored = async (bounds: Bounds, change?: (text: string) => string): Promise<Explored> => {
  const server = await ServerModel.over(database().url, LOCKS, change)
  try {
    return await explore(server, bounds, ["gateway", "gateway"])
  } finally {
    await server.close()
  }
}

it("lets nobody write or sign beside a newer owner, in every order of what can happen to two processes", async () => {
  const { violations, isWhole, seen } = await explored({ ...SMALL, renewals: 0 })
  expect({ violations, isWhole }).toEqual({ violations: [], isWhole: true })
  for (const what of [
    "a start was refused",
    "an owner was taken over",
    "a batch was committed",
    "an order was kept back",
  ])
    expect(seen[what], what).toBeGreaterThan(0)
})

it.each(CLUSTER_SMALL)(
  "lets nobody write or sign beside a newer owner in a cluster: %s",
  async (_what, bounds, nodes) => {
    const server = await ServerModel.over(database().url, LOCKS)
    try {
      const { violations, isWhole, seen } = await explore(server, bounds, nodes, { isCluster: true })
      expect({ violations, isWhole }).toEqual({ violations: [], isWhole: true })
      for (const what of ["a name was taken over", "a start was refused", "an owner began", "an order was signed"])
        expect(seen[what], what).toBeGreaterThan(0)
    } finally {
      await server.close()
    }
  },
)

it.each(SABOTAGES.filter(({ what }) => what.startsWith("the end")))(
  "finds the way on which it goes wrong without $what",
  async ({ change, bounds }) => {
    expect((await explored(bounds, change)).violations).not.toEqual([])
  },
)

it.each(SHARED_SABOTAGES.filter(({ what }) => what === "the wait of a release for its batch"))(
  "finds the way on which two nodes that share shards go wrong without $what, and none with it",
  async ({ bounds, without }) => {
    const server = await ServerModel.over(database().url, LOCKS)
    try {
      expect((await exploreShards(server, bounds, without)).violations).not.toEqual([])
      const { violations, seen } = await exploreShards(server, bounds)
      expect(violations).toEqual([])
      expect(seen["a batch was committed"]).toBeGreaterThan(0)
    } finally {
      await server.close()
    }
  },
)
