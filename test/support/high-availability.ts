/**
 * The recipe of docs/high-availability.md on this machine: three etcd, two PostgreSQL under Patroni
 * and two Redis under three Sentinels, as deploy/ha configures them, in folders and on ports of
 * their own.
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { connect } from '../../src/storage/postgres/db.ts'
import { freePort } from './free-port.ts'
import { endWithUs, serverFolder } from './postgres.ts'
import { hasRedis, startRedis } from './redis.ts'
import { eventually } from './wait.ts'

export type HighAvailability = Awaited<ReturnType<typeof startHighAvailability>>
export type Node = Awaited<ReturnType<typeof startNode>>

const host = '127.0.0.1'
const password = 'secret'
const folders = '/usr/lib/postgresql'
const [initdb] = Array.from(new Bun.Glob('*/bin/initdb').scanSync({ cwd: folders, absolute: true }))
  .toSorted()
  .toReversed()
const recipe = new URL('../../deploy/ha/', import.meta.url)

/** Debian's `patroni`, `etcd-server`, `postgresql` and `redis-server` are on this machine. */
export const hasHighAvailability =
  hasRedis && Boolean(initdb) && ['etcd', 'patroni'].every((program) => Bun.which(program))

export async function startHighAvailability() {
  const folder = serverFolder()
  const etcd = startEtcd(folder)
  const nodes = [
    await startNode(folder, 'one', etcd.hosts),
    await startNode(folder, 'two', etcd.hosts),
  ] as const
  const redis = await startSentinels(folder)
  const urlOf = (...ports: number[]) =>
    `postgres://postgres:${password}@${ports.map((port) => `${host}:${port}`).join(',')}/postgres?target_session_attrs=read-write`

  async function whole(): Promise<void> {
    const isWhole = async () => {
      const roles = await Promise.all(nodes.map(({ role }) => role()))
      return roles.includes('primary') && roles.includes('synchronous')
    }
    await eventually(isWhole, 120_000)
  }

  await whole()
  return {
    /** Of both servers, for `DATABASE_URL`. */
    url: urlOf(...nodes.map(({ port }) => port)),
    redis,
    nodes,
    /** Resolves once one node is the primary and the other its synchronous standby. */
    whole,
    async primary(): Promise<Node> {
      const roles = await Promise.all(nodes.map(({ role }) => role()))
      return nodes[roles.indexOf('primary')] ?? nodes[0]
    },
    other: (node: Node): Node => (node === nodes[0] ? nodes[1] : nodes[0]),
    /** Resolves once this node commits a write. */
    async takesWrites({ port }: Node): Promise<void> {
      const sql = connect(urlOf(port), { max: 1, name: 'probe' })
      const written = () =>
        sql`select pg_logical_emit_message(true, 'probe', '')`.then(
          () => true,
          () => false,
        )
      await eventually(written, 120_000).finally(() => sql.end({ timeout: 1 }))
    },
    async stop() {
      for (const node of nodes) node.thaw()
      await Promise.all(nodes.map((node) => node.end()))
      await redis.stop()
      await etcd.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function startEtcd(folder: string) {
  const members = Array.from({ length: 3 }, (_, n) => ({
    name: `etcd${n}`,
    client: `http://${host}:${freePort()}`,
    peer: `http://${host}:${freePort()}`,
  }))
  const cluster = members.map(({ name, peer }) => `${name}=${peer}`).join(',')
  const servers = members.map(({ name, client, peer }) =>
    launch(folder, name, 'etcd', [
      ...['--name', name, '--data-dir', join(folder, name), '--enable-v2'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', cluster, '--initial-cluster-token', folder],
    ]),
  )
  return {
    hosts: members.map(({ client }) => client.slice('http://'.length)).join(','),
    stop: () => Promise.all(servers.map((server) => server.end('SIGTERM'))),
  }
}

/** A machine of its own, as it were: Patroni with its PostgreSQL. */
async function startNode(folder: string, name: string, etcdHosts: string) {
  const [port, restPort] = [freePort(), freePort()]
  const home = join(folder, name)
  mkdirSync(home)
  const data = join(home, 'data')
  const file = fillIn('patroni.yml', join(home, 'patroni.yml'), {
    ...{ NAME: name, HOST: host, NETWORK: `${host}/32`, PASSWORD: password },
    ...{ PORT: port, REST_PORT: restPort, ETCD_HOSTS: etcdHosts },
    ...{ BIN_DIR: String(initdb).replace(/\/initdb$/, ''), DATA_DIR: data, SOCKET_DIR: home },
  })
  const user = userOf(home)
  const start = () => launch(folder, name, 'patroni', [file], user)
  let running = start()
  const postmaster = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  const signalAll = (signal: NodeJS.Signals) => {
    running.signal(signal)
    for (const pid of family(postmaster())) signalTo(pid, signal)
  }

  /** As Patroni knows it; null while it does not answer. */
  async function role(): Promise<'primary' | 'synchronous' | 'other' | null> {
    for (const role of ['primary', 'synchronous'] as const) {
      const answer = await ask(role)
      if (answer === null) return null
      if (answer.ok) return role
    }
    return 'other'
  }

  function ask(path: string, init: RequestInit = {}) {
    const signal = AbortSignal.timeout(30_000)
    return fetch(`http://${host}:${restPort}/${path}`, { signal, ...init }).catch(() => null)
  }

  return {
    name,
    port,
    role,
    /** As when the machine loses its power. */
    async kill() {
      running.signal('SIGKILL')
      for (const pid of family(postmaster())) signalTo(pid, 'SIGKILL')
      await running.ended
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    start() {
      running = start()
    },
    /** Hands over to the other node. */
    async switchOver(to: string) {
      const body = JSON.stringify({ leader: name, candidate: to })
      const answer = await ask('switchover', { method: 'POST', body })
      if (!answer?.ok) throw new Error(`no switchover: ${await answer?.text()}`)
    },
    end: () => running.end('SIGTERM'),
  }
}

export async function startSentinels(folder: string) {
  const first = await startRedis()
  const masterPort = Number(new URL(first.url).port)
  const second = await startRedis('--replicaof', `${host} ${masterPort}`)
  const servers = [first, second]
  const ports = [freePort(), freePort(), freePort()]
  const sentinels = ports.map((port) => {
    const home = join(folder, `sentinel${port}`)
    mkdirSync(home)
    const values = {
      PORT: port,
      HOST: host,
      DATA_DIR: home,
      MASTER_HOST: host,
      MASTER_PORT: masterPort,
    }
    const file = fillIn('sentinel.conf', join(home, 'sentinel.conf'), values)
    return launch(folder, `sentinel${port}`, 'redis-server', [file, '--sentinel'])
  })

  /** The port of the master, according to the first Sentinel. */
  async function asked(...words: string[]): Promise<unknown> {
    const client = new Redis({
      host,
      port: ports[0] ?? 0,
      lazyConnect: true,
      retryStrategy: () => null,
    })
    client.on('error', () => {})
    return client.call('SENTINEL', ...(words as [string])).finally(() => client.disconnect())
  }

  async function whole(): Promise<void> {
    const isWhole = async () => {
      const master = await asked('MASTER', 'quittance').catch(() => [])
      const said = Object.fromEntries(pairs(master as string[]))
      const replicas = await asked('REPLICAS', 'quittance').catch(() => [])
      const isFollowing = (replicas as string[][]).some(
        (one) => Object.fromEntries(pairs(one))['master-link-status'] === 'ok',
      )
      return said.flags === 'master' && Number(said['num-other-sentinels']) === 2 && isFollowing
    }
    await eventually(isWhole, 60_000)
  }

  await whole()
  return {
    /** For `REDIS_URL`. */
    url: `redis+sentinel://${ports.map((port) => `${host}:${port}`).join(',')}/quittance`,
    /** Resolves once the Sentinels see each other, a master and its replica. */
    whole,
    async master() {
      const [, port] = (await asked('GET-MASTER-ADDR-BY-NAME', 'quittance')) as string[]
      const found = servers.find(({ url }) => new URL(url).port === port)
      if (!found) throw new Error('the Sentinels name no master')
      return found
    },
    async stop() {
      await Promise.all(sentinels.map((sentinel) => sentinel.end('SIGTERM')))
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

function pairs(words: readonly string[]): [string, string][] {
  return words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? '']] : []))
}

/** As `envsubst` does. Answers the path of the copy. */
function fillIn(name: string, copy: string, values: Readonly<Record<string, string | number>>) {
  const text = readFileSync(new URL(name, recipe), 'utf8')
  writeFileSync(
    copy,
    text.replaceAll(/\$\{(\w+)\}/g, (_, word) => String(values[word])),
  )
  return copy
}

type User = { readonly uid: number; readonly gid: number }

/** PostgreSQL refuses root. Makes `folder` the user's own. */
function userOf(folder: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8').match(/^postgres:[^:]*:(\d+):(\d+):/m)
  const user = { uid: Number(line?.[1]), gid: Number(line?.[2]) }
  for (const path of [folder, join(folder, 'patroni.yml')]) chownSync(path, user.uid, user.gid)
  chmodSync(folder, 0o700)
  return user
}

function launch(
  folder: string,
  name: string,
  program: string,
  words: readonly string[],
  user?: User,
) {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const child = spawn(program, words, { ...user, cwd: '/', stdio: ['ignore', log, log] })
  closeSync(log)
  const pid = child.pid ?? 0
  const release = endWithUs(pid, join(folder, name))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve(release())))
  return {
    ended,
    signal: (signal: NodeJS.Signals) => signalTo(pid, signal),
    async end(signal: NodeJS.Signals) {
      signalTo(pid, signal)
      await ended
    },
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

/** A process with its children. */
function family(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}
