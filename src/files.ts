import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The files that the program reads beside its code. In the sources they lie in folders and
 * packages; a package of the service (scripts/build.ts) has copies of them in one folder.
 */

/** Whether this is the built package, not the sources. */
export const isBuilt = import.meta.url.endsWith('.js')

const here = dirname(fileURLToPath(import.meta.url))

/** The path of a file or folder of an installed package. Literals only: the build finds them. */
export function packageFile(name: string, path: string): string {
  return isBuilt ? join(here, 'files', name, path) : join(here, '../node_modules', name, path)
}

/** The path of a file or folder of ours, which the build puts into `files` under its last name. */
export function ownFile(path: string): string {
  return isBuilt ? join(here, 'files', basename(path)) : join(here, path)
}

/** The path of a program of ours: an entry of the build, in src or in one of its folders. */
export function programFile(path: string): string {
  return join(here, isBuilt ? `${basename(path, '.ts')}.js` : path)
}
