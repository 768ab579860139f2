/** The names of all calls that a socket may make, for the documents. */
import { HttpApi } from "@effect/platform"
import { Api } from "../api.ts"
import { rpcMethodOf } from "./rpc.ts"

export const rpcMethods = (): ReadonlyArray<string> => {
  const names = new Set<string>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const name = rpcMethodOf({ method: endpoint.method, template: endpoint.path })
      if (name !== undefined) names.add(name)
    },
  })
  return [...names].sort()
}
