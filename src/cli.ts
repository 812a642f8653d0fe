import { Command, InvalidArgumentError, Option } from 'commander'
import { deployAnchor } from './chain/anchor.ts'
import { registry } from './chain/registry.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type Plan, plans, presets, type Scope, scopes } from './domain/account.ts'
import { parseInstant } from './domain/instant.ts'
import { isAddress, type Network, networks } from './domain/network.ts'
import { keyFrom, type SealKey } from './domain/secret.ts'
import { issueKey, openAccount, renewSigningSecret } from './operator/accounts.ts'
import { complaintAbout } from './operator/complaint.ts'
import { doctor } from './operator/doctor.ts'
import { verifyReceipt } from './operator/verify-receipt.ts'
import { loadSecrets } from './secrets.ts'
import { listKeys, revokeKey } from './storage/accounts.ts'
import { connect, type Sql } from './storage/db.ts'
import { joinEmbedded } from './storage/embedded.ts'
import { migrate } from './storage/migrate.ts'

/** Operator commands: `bun run quittance <command>`. Exit code 0: done; 1: refused or failed; 2: wrong usage. */
const program = new Command('quittance')
  .description(
    'Operate a Quittance service. Works on DATABASE_URL, or on the embedded database under DATA_DIR.',
  )
  .configureHelp({ showGlobalOptions: true })
  .exitOverride()

const json = new Option('--json', 'print one JSON document instead of text')

const account = program.command('account').description('accounts')
account
  .command('create')
  .description('make an account; its keys and signing secret are printed once')
  .requiredOption('--name <name>', 'what the account is called', accountName)
  .addOption(
    new Option('--plan <plan>', 'request limits').choices(Object.keys(plans)).default('free'),
  )
  .option('--per-minute <n>', 'requests per minute, instead of the plan’s', positive)
  .option('--per-day <n>', 'requests per day, instead of the plan’s', positive)
  .option(
    '--wallet <chain=address>',
    'be paid at this address on this chain (repeatable)',
    wallet,
    {},
  )
  .addOption(json)
  .action((options) =>
    onDatabase(async ({ sql, sealKey }) => {
      const { name, perMinute, perDay } = options
      const limits = { ...(perMinute && { perMinute }), ...(perDay && { perDay }) }
      const wanted = { name, plan: options.plan as Plan, limits, wallets: options.wallet }
      const created = await openAccount(sql, sealKey, wanted)
      print(options, created, [
        `account         ${created.account.id}  ${created.account.name} (${created.account.plan})`,
        `api key         ${created.apiKey}`,
        `v1 key          ${created.v1Key}`,
        `signing secret  ${created.signingSecret}`,
        'Keep these: they are not shown again.',
      ])
    }),
  )

account
  .command('rotate-signing-secret')
  .description('make a new mandate signing secret; the old one counts for 24 hours more')
  .requiredOption('--account <id>', 'whose secret', uuid)
  .addOption(json)
  .action((options) =>
    onDatabase(async ({ sql, sealKey }) => {
      const renewed = await renewSigningSecret(sql, sealKey, options.account)
      print(options, renewed, [
        `signing secret  ${renewed.signingSecret}`,
        'Keep it: it is not shown again.',
      ])
    }),
  )

const key = program.command('key').description('API keys of an account')
key
  .command('create')
  .description('make a key; it is printed once')
  .requiredOption('--account <id>', 'whose key', uuid)
  .addOption(
    new Option('--kind <kind>', 'how it starts; either kind opens every family of paths')
      .choices(['inv_', 'sk_'])
      .default('inv_'),
  )
  .option('--name <name>', 'what it is for', 'key')
  .option(
    '--scopes <list>',
    `a preset (${Object.keys(presets).join(', ')}) or scopes, comma-separated: ${scopes.join(', ')}`,
    scopeList,
    presets.full,
  )
  .option('--expires <date>', 'ISO 8601', date)
  .addOption(json)
  .action((options) =>
    onDatabase(async ({ sql }) => {
      const { account: accountId, kind, name, scopes, expires = null } = options
      const issued = await issueKey(sql, { accountId, kind, name, scopes, expiresAt: expires })
      print(options, issued, [
        `${issued.key}  (id ${issued.id})`,
        'Keep it: it is not shown again.',
      ])
    }),
  )
key
  .command('list')
  .description('all keys of an account, revoked ones too')
  .requiredOption('--account <id>', 'whose keys', uuid)
  .addOption(json)
  .action((options) =>
    onDatabase(async ({ sql }) => {
      const keys = await listKeys(sql, options.account)
      const lines = keys.map(
        ({ id, hint, name, revokedAt }) => `${id}  ${hint}  ${name}${revokedAt ? '  revoked' : ''}`,
      )
      print(options, keys, lines)
    }),
  )
key
  .command('revoke')
  .description('refuse a key from now on; every process knows within 5 seconds')
  .argument('<key-id>', 'as `key list` shows it', uuid)
  .requiredOption('--account <id>', 'whose key', uuid)
  .addOption(json)
  .action((keyId, options) =>
    onDatabase(async ({ sql }) => {
      await revokeKey(sql, options.account, keyId)
      print(options, { revoked: keyId }, [`revoked ${keyId}`])
    }),
  )

program
  .command('anchor')
  .description('the anchor contract')
  .command('deploy')
  .description('put it on the chain behind ANCHOR_RPC_URL, paid by ANCHOR_PRIVATE_KEY')
  .addOption(json)
  .action(async (options) => {
    const config = readConfig()
    const { anchorPrivateKey } = await loadSecrets(config)
    if (config.anchor.rpcUrls.length === 0) throw new ConfigError('ANCHOR_RPC_URL is not set')
    if (!anchorPrivateKey) throw new ConfigError('ANCHOR_PRIVATE_KEY is not set')
    const deployed = await deployAnchor({
      rpcUrls: config.anchor.rpcUrls,
      privateKey: anchorPrivateKey,
    })
    print(options, deployed, [
      `ANCHOR_CONTRACT=${deployed.contract}`,
      `transaction ${deployed.txHash}`,
    ])
  })

program
  .command('verify-receipt')
  .description('check a receipt bundle against a chain, trusting nobody else')
  .argument('<bundle>', 'a file, a URL, or - for standard input')
  .requiredOption('--rpc <url>', 'a node of the chain the receipt is anchored on')
  .option('--contract <address>', 'the contract that must have emitted it', evmAddress)
  .option('--sender <address>', 'who must have anchored it', evmAddress)
  .addOption(json)
  .action(async (source: string, options) => {
    const verdict = await verifyReceipt(await readBundle(source), [options.rpc], options)
    print(options, verdict, [
      verdict.ok
        ? `valid: ${verdict.message}`
        : `NOT VALID (${verdict.problem}): ${verdict.message}`,
    ])
    if (!verdict.ok) process.exitCode = 1
  })

program
  .command('migrate')
  .description('bring the database schema up to date')
  .addOption(json)
  .action((options) =>
    onDatabase(async ({ migrated }) => {
      print(options, { migrated }, [
        migrated.length > 0 ? `ran ${migrated.join(', ')}` : 'nothing to do',
      ])
    }),
  )

program
  .command('doctor')
  .description('check configuration, database, Redis, chains and anchor contract')
  .addOption(json)
  .action(async (options) => {
    const config = readConfig()
    const findings = await onDatabase(({ sql }) => doctor(config, sql))
    const marks = { ok: '✓', note: '·', problem: '✗' }
    print(
      options,
      findings,
      findings.map(({ verdict, what, detail }) => `${marks[verdict]} ${what}: ${detail}`),
    )
    if (findings.some(({ verdict }) => verdict === 'problem')) process.exitCode = 1
  })

await program.parseAsync().catch(fail)

type Session = {
  readonly sql: Sql
  readonly sealKey: SealKey
  readonly migrated: readonly string[]
}

/** Opens the database that the service uses, joining an embedded one that is running. */
async function onDatabase<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const config: Config = readConfig()
  const secrets = await loadSecrets(config)
  const embedded =
    config.databaseUrl === null ? await joinEmbedded({ dataDir: config.dataDir }) : null
  const sql = connect(embedded?.url ?? config.databaseUrl ?? '', { max: 2, name: 'cli' })
  try {
    const migrated = await migrate(sql)
    return await work({ sql, sealKey: keyFrom(secrets.secretsKey), migrated })
  } finally {
    await sql.end({ timeout: 2 })
    await embedded?.stop()
  }
}

async function readBundle(source: string): Promise<unknown> {
  try {
    if (source === '-') return await Bun.stdin.json()
    if (/^https?:/.test(source)) return await (await fetch(source)).json()
    return await Bun.file(source).json()
  } catch (error) {
    throw new ConfigError(`The bundle cannot be read from ${source}: ${(error as Error).message}`)
  }
}

function print(options: { json?: boolean }, document: unknown, lines: readonly string[]): void {
  console.log(options.json ? JSON.stringify(document) : lines.join('\n'))
}

function positive(text: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (number < 1) throw new InvalidArgumentError('must be a positive integer')
  return number
}

function uuid(text: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text
  throw new InvalidArgumentError('must be an id such as 0190a000-1234-7abc-8def-0123456789ab')
}

function evmAddress(text: string): string {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return text
  throw new InvalidArgumentError('must be 0x and 40 hex digits')
}

function accountName(text: string): string {
  const name = text.trim()
  if (name.length < 1 || name.length > 256)
    throw new InvalidArgumentError('must have 1 to 256 characters')
  return name
}

function date(text: string): Date {
  const instant = parseInstant(text)
  if (!instant || instant <= new Date())
    throw new InvalidArgumentError('must be an ISO 8601 date or timestamp in the future')
  return instant
}

function wallet(
  text: string,
  wallets: Partial<Record<Network, string>>,
): Partial<Record<Network, string>> {
  const [name = '', address = ''] = text.split('=')
  const chain = networks.find((network) => network === name)
  if (!chain || !isAddress(chain, address)) {
    throw new InvalidArgumentError(
      `must be <chain>=<address>, the chain one of ${Object.keys(registry).join(', ')}`,
    )
  }
  return { ...wallets, [chain]: address }
}

function scopeList(text: string): readonly Scope[] {
  if (Object.hasOwn(presets, text)) return presets[text as keyof typeof presets]
  const named = text.split(',').map((scope) => scope.trim())
  const unknown = named.find((scope) => !scopes.includes(scope as Scope))
  if (unknown !== undefined) throw new InvalidArgumentError(`there is no scope ${unknown}`)
  return named as Scope[]
}

function fail(error: unknown): void {
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string' && code.startsWith('commander.')) {
    // commander has printed the help or what is wrong with the usage.
    process.exitCode = code === 'commander.helpDisplayed' ? 0 : 2
    return
  }
  process.stderr.write(`${complaintAbout(error)}\n`)
  process.exitCode = 1
}
