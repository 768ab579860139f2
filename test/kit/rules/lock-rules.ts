/**
 * Whether package-lock.json is whole. npm leaves out the platform packages that its registry could not show when the
 * file was written, and then `npm ci` refuses the file everywhere else.
 */
export interface LockFile {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly dependencies?: Readonly<Record<string, string>>
        readonly optionalDependencies?: Readonly<Record<string, string>>
        readonly resolved?: string
      }
    >
  >
}

/** node_modules of the package itself, then of every folder around it, as node looks things up. */
const places = (from: string, name: string): ReadonlyArray<string> => {
  const folders = from === "" ? [] : from.split(/(?=\/?node_modules\/)/)
  return folders
    .map((_, depth) => `${folders.slice(0, folders.length - depth).join("")}/node_modules/${name}`)
    .concat(`node_modules/${name}`)
}

/** One sentence per package that is named but missing, or that is bound to one registry's host. */
export const lockFaults = ({ packages }: LockFile): ReadonlyArray<string> =>
  Object.entries(packages).flatMap(([from, { dependencies, optionalDependencies, resolved }]) => [
    ...Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !places(from, name).some((place) => place in packages))
      .map((name) => `package-lock.json: ${name} is missing, ${from || "package.json"} names it`),
    ...(resolved === undefined ? [] : [`package-lock.json: ${from} names a registry`]),
  ])
