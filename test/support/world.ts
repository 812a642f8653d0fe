import { afterAll, afterEach, beforeAll, beforeEach } from 'bun:test'
import type { Hex } from 'viem'
import { type App, startApp } from '../../src/app.ts'
import { deployAnchor } from '../../src/chain/anchor/deployment.ts'
import { readConfig } from '../../src/config/config.ts'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import type { Network } from '../../src/domain/network.ts'
import { registry } from '../../src/domain/registry.ts'
import { type NewAccount, openAccount } from '../../src/operator/accounts.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { noteWatch } from '../../src/storage/settlement/chain-watches.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { requester, type TestApp, testApp, testEnv, testSecretsKey } from './app.ts'
import { type EvmNode, startEvmNode } from './evm-node.ts'
import { type TestDatabase, testDatabase } from './postgres.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { startRedis, type TestRedis } from './redis.ts'
import { type RpcRelay, startRpcRelay } from './rpc-relay.ts'
import { type Service, startService } from './service.ts'
import { type SolanaNode, startSolanaNode } from './solana-node.ts'
import { type Statements, statementsThrough } from './statements.ts'
import { startTcpRelay, type TcpRelay } from './tcp-relay.ts'
import { startUpstream, type Upstream } from './x402-upstream.ts'

type Env = Readonly<Record<string, string>>

/** What a test file needs; the rest is not started. */
export type Wants = {
  /** Each has a node and is watched, polled every 100 ms. */
  readonly chains?: readonly Network[]
  /** As if a worker elsewhere had just read them. */
  readonly read?: readonly Network[]
  /** Through a relay that can fail. */
  readonly relayed?: boolean
  /** They hold 1,000 USDC on each chain. */
  readonly funded?: readonly number[]
  /** Instead of a block for each transaction. */
  readonly blockTimeSeconds?: number
  /** Through a relay that can be cut or stalled. */
  readonly relayedDatabase?: boolean
  readonly redis?: boolean
  /** Settles on the first EVM chain. */
  readonly upstream?: boolean | { readonly maxTimeoutSeconds: number }
  /** With its answer where it is not 204. */
  readonly receiver?: boolean | Parameters<typeof startReceiver>[0]
  /**
   * `inside` (the default) this process; `apart` in processes, by `start`; `none`: a migrated
   * database.
   */
  readonly service?: 'inside' | 'apart' | 'none' | 'no database'
  /** On the first EVM chain, with wallet 7 or this key. */
  readonly anchored?: boolean | { readonly privateKey: Hex }
  /** Each test has a world of its own. */
  readonly anew?: boolean
  readonly env?: Env | ((surroundings: Surroundings) => Env | Promise<Env>)
}

type Surroundings = Pick<
  World,
  'sql' | 'node' | 'nodes' | 'solana' | 'relay' | 'relays' | 'redis' | 'upstream' | 'receiver'
>

/** Can be used from the first `beforeAll` hook on. */
export type World = {
  readonly database: TestDatabase
  readonly sql: Sql
  /** Between the service and a relayed database. */
  readonly databaseRelay: TcpRelay
  readonly statements: Statements
  /** Of the first EVM chain. */
  readonly node: EvmNode
  readonly nodes: Readonly<Partial<Record<Network, EvmNode>>>
  readonly solana: SolanaNode
  /** In front of the first chain. */
  readonly relay: RpcRelay
  readonly relays: Readonly<Partial<Record<Network, RpcRelay>>>
  readonly redis: TestRedis
  readonly upstream: Upstream
  readonly receiver: Receiver
  readonly app: TestApp
  readonly account: NewAccount
  readonly env: Env
  /** To the process started last or, if there is none, to `app`. */
  send: TestApp['send']
  start(env?: Env): Promise<Service>
  /** Ends with the world at the latest. */
  startHere(env?: Env, onForeignKey?: () => void): Promise<App>
}

/** The parts may be destructured at once: each stands in for what will be started. */
export function useWorld(wants: Wants = {}): World {
  let running: Running | null = null
  const [before, after] = wants.anew ? [beforeEach, afterEach] : [beforeAll, afterAll]
  before(async () => {
    running = await startWorld(wants)
  })
  after(() => running?.stop())

  function part<Name extends Exclude<keyof World, keyof Functions>>(name: Name): World[Name] {
    return standIn<World[Name]>(() => running?.world[name] as World[Name] | undefined, name)
  }

  function started(): Running['world'] {
    if (!running) throw new Error('the world has not been started yet')
    return running.world
  }

  return {
    database: part('database'),
    sql: part('sql'),
    node: part('node'),
    nodes: part('nodes'),
    solana: part('solana'),
    relay: part('relay'),
    relays: part('relays'),
    redis: part('redis'),
    upstream: part('upstream'),
    receiver: part('receiver'),
    app: part('app'),
    account: part('account'),
    env: part('env'),
    databaseRelay: part('databaseRelay'),
    statements: part('statements'),
    send: (...request) => started().send(...request),
    start: (env) => started().start(env),
    startHere: (...how) => started().startHere(...how),
  }
}

/** Notes that a chain has just been read. */
export function noteRead(sql: Sql, chain: Network): Promise<void> {
  const head = { number: 1, timestampMs: Date.now() }
  return noteWatch(sql, chain, { head, caughtUpAt: null })
}

type Functions = Pick<World, 'send' | 'start' | 'startHere'>
type Running = { readonly world: Partial<World> & Functions; stop(): Promise<void> }
type Ends = (() => unknown)[]

function standIn<Part extends object>(find: () => Part | undefined, name: string): Part {
  function found(): Part {
    const part = find()
    if (!part) throw new Error(`this world has no ${name}, or it has not been started yet`)
    return part
  }
  // Connections can be called, which only a function can stand in for.
  return new Proxy((name === 'sql' ? () => {} : {}) as Part, {
    apply: (_, self, args) => Reflect.apply(found() as never, self, args),
    get: (_, key) => Reflect.get(found(), key),
    set: (_, key, value) => Reflect.set(found(), key, value),
    has: (_, key) => Reflect.has(found(), key),
    ownKeys: () => Reflect.ownKeys(found()),
    getOwnPropertyDescriptor: (_, key) => ({
      ...Reflect.getOwnPropertyDescriptor(found(), key),
      configurable: true,
    }),
  })
}

async function startWorld(wants: Wants): Promise<Running> {
  const ends: Ends = []
  async function stop(): Promise<void> {
    for (const end of ends) await end()
  }
  try {
    return { world: await startParts(wants, ends), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(wants: Wants, ends: Ends): Promise<Running['world']> {
  if (wants.service === 'no database') {
    const { parts, node } = await startChains(wants, ends)
    return {
      ...parts,
      ...(await startHelpers(wants, node, ends)),
      ...functions(null, {}, null, '', ends),
    }
  }
  const database = await testDatabase()
  ends.unshift(database.drop)
  for (const chain of wants.read ?? []) await noteRead(database.sql, chain)
  const wire = wants.relayedDatabase ? await relayOf(database, ends) : null
  const chains = await startChains(wants, ends)
  const helpers = await startHelpers(wants, chains.node, ends)
  const parts = { database, sql: database.sql, ...wire?.parts, ...chains.parts, ...helpers }
  const env = {
    ...wire?.env,
    ...chains.env,
    ...(helpers.redis && { REDIS_URL: helpers.redis.url }),
    ...(wants.anchored && (await anchorEnv(required(chains.node), wants.anchored))),
    ...(typeof wants.env === 'function' ? await wants.env(parts as Surroundings) : wants.env),
  }
  const own = { ...parts, env: testEnv(database.url, env) }
  return { ...own, ...(await startInOrApart(wants, database, env, ends)) }
}

async function startInOrApart(
  { service = 'inside' }: Wants,
  database: TestDatabase,
  env: Env,
  ends: Ends,
) {
  if (service === 'inside') {
    const app = await testApp(env, database)
    ends.unshift(app.app.drain)
    return { app, account: app.account, ...functions(database, env, app.account, app.url, ends) }
  }
  const wanted = { name: 'Test', plan: 'enterprise' } as const
  const account =
    service === 'apart' ? await openAccount(database.sql, keyFrom(testSecretsKey), wanted) : null
  return { ...functions(database, env, account, '', ends), ...(account && { account }) }
}

function functions(
  database: TestDatabase | null,
  env: Env,
  account: NewAccount | null,
  appUrl: string,
  ends: Ends,
): Functions {
  const url = database?.url ?? ''
  let latestUrl = appUrl
  const request = requester(() => latestUrl)
  return {
    send: (method, path, body, headers) =>
      request(method, path, body, { ...(account && { 'x-api-key': account.v1Key }), ...headers }),
    async start(over = {}) {
      const started = await startService(testEnv(url, { ...env, ...over }))
      ends.unshift(() => (started.process.exitCode === null ? started.stop() : undefined))
      latestUrl = started.url
      return started
    },
    async startHere(over = {}, onForeignKey) {
      const config = readConfig(testEnv(url, { ...env, ...over }))
      const started = await startApp(config, createLog(config.logLevel), {
        ...(onForeignKey && { onForeignKey }),
      })
      let ended: Promise<void> | undefined
      const drain = () => (ended ??= started.drain())
      ends.unshift(drain)
      return { ...started, drain }
    },
  }
}

async function relayOf(database: TestDatabase, ends: Ends) {
  const url = new URL(database.url)
  const databaseRelay = await startTcpRelay(Number(url.port))
  ends.unshift(databaseRelay.stop)
  url.port = `${databaseRelay.port}`
  const statements = statementsThrough(databaseRelay)
  return { parts: { databaseRelay, statements }, env: { DATABASE_URL: url.href } }
}

async function startHelpers(
  { redis, upstream, receiver }: Wants,
  node: EvmNode | undefined,
  ends: Ends,
) {
  const helpers = {
    ...(redis && { redis: await startRedis() }),
    ...(upstream && {
      upstream: await startUpstream(
        required(node),
        upstream === true ? undefined : upstream.maxTimeoutSeconds,
      ),
    }),
    ...(receiver && { receiver: startReceiver(receiver === true ? undefined : receiver) }),
  }
  for (const { stop } of Object.values(helpers)) ends.unshift(stop)
  return helpers
}

async function startChains(wants: Wants, ends: Ends) {
  const nodes: Partial<Record<Network, EvmNode>> = {}
  const relays: Partial<Record<Network, RpcRelay>> = {}
  const env: Record<string, string> = {}
  let solana: SolanaNode | undefined
  for (const chain of wants.chains ?? []) {
    const started = chain === 'solana' ? startSolana(wants) : await startEvm(chain, wants)
    ends.unshift(started.stop)
    if ('mintTo' in started) solana = started
    else nodes[chain] = started
    if (wants.relayed) {
      const inFront = startRpcRelay(started.url)
      ends.unshift(inFront.stop)
      relays[chain] = inFront
    }
    env[`${chain.toUpperCase()}_RPC_URL`] = relays[chain]?.url ?? started.url
    env[`${chain.toUpperCase()}_POLL_MS`] = '100'
  }
  const [node] = Object.values(nodes)
  const [relay] = Object.values(relays)
  const first = { ...(node && { node }), ...(relay && { relay }), ...(solana && { solana }) }
  return { node, parts: { nodes, relays, ...first }, env }
}

async function startEvm(
  chain: Network,
  { funded = [], blockTimeSeconds }: Wants,
): Promise<EvmNode> {
  const { chainId, usdcAddress, usdcDomain, gasless } = registry[chain]
  const node = await startEvmNode({
    chainId: chainId ?? 0,
    usdcAddress: usdcAddress as Hex,
    ...(usdcDomain && { usdcName: usdcDomain.name }),
    ...(blockTimeSeconds !== undefined && { blockTimeSeconds }),
    isGasless: gasless,
  })
  for (const index of funded) await node.mint(node.wallet(index).address, 1_000_000_000n)
  return node
}

function startSolana({ funded = [] }: Wants): SolanaNode {
  const node = startSolanaNode()
  for (const index of funded) node.mintTo(node.wallet(index).publicKey, 1_000_000_000n)
  return node
}

async function anchorEnv(node: EvmNode, wanted: true | { privateKey: Hex }): Promise<Env> {
  const { privateKey } = wanted === true ? node.wallet(7) : wanted
  const { contract } = await deployAnchor({ rpcUrls: [node.url], privateKey })
  return { ANCHOR_RPC_URL: node.url, ANCHOR_CONTRACT: contract, ANCHOR_PRIVATE_KEY: privateKey }
}

function required<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('this needs a chain with an EVM node')
  return part
}
