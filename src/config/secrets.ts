import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newEvmWallet, newSolanaWallet } from '../chain/wallets.ts'
import { OperatorError } from '../domain/error.ts'
import { type Network, networks } from '../domain/network.ts'
import { hasEmbeddedData } from '../storage/postgres/embedded/embedded.ts'
import type { Config } from './config.ts'

export type Secrets = Readonly<Awaited<ReturnType<typeof loadSecrets>>>

export class SecretsError extends OperatorError {
  override readonly name = 'SecretsError'
}

type Generated = ReturnType<typeof generate>

/**
 * With a `DATABASE_URL` all secrets come from the configuration. Otherwise missing ones are
 * generated once into `<DATA_DIR>/secrets.json`. Throws `SecretsError` if that file is damaged, or
 * missing beside existing data, which new keys would not open.
 */
export async function loadSecrets(config: Config) {
  const generated = isFileNeeded(config) ? await readOrGenerate(config.dataDir) : null
  const wallet = (network: Network) =>
    config.networks[network].wallet ??
    (network === 'solana' ? generated?.solana.address : generated?.evm.address) ??
    null
  return {
    secretsKey: config.secretsKey ?? generated?.secretsKey ?? missing('SECRETS_KEY'),
    previousSecretsKey: config.previousSecretsKey,
    jwtSecret: config.jwtSecret ?? generated?.jwtSecret ?? missing('JWT_SECRET'),
    mandateSigningSecret: config.mandateSigningSecret ?? generated?.mandateSigningSecret ?? null,
    anchorPrivateKey: config.anchor.privateKey ?? generated?.anchorPrivateKey ?? null,
    wallets: Object.fromEntries(networks.map((network) => [network, wallet(network)])) as Readonly<
      Record<Network, string | null>
    >,
    file: generated && fileIn(config.dataDir),
  }
}

function missing(name: string): never {
  // Unreachable: `readConfig` refuses a configuration without it.
  throw new Error(`${name} is required`)
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

/** Generates the file even beside existing data. Returns its path; null if nothing was missing. */
export async function generateMissing(config: Config): Promise<string | null> {
  const file = fileIn(config.dataDir)
  if (!isFileNeeded(config) || existsSync(file)) return null
  await store(generate(), file)
  return file
}

function isFileNeeded({ databaseUrl, anchor, networks: chains, ...config }: Config): boolean {
  const { secretsKey, jwtSecret, mandateSigningSecret } = config
  const secrets = [secretsKey, jwtSecret, mandateSigningSecret, anchor.privateKey]
  const wallets = networks.map((network) => chains[network].wallet)
  return databaseUrl === null && [...secrets, ...wallets].includes(null)
}

async function readOrGenerate(dataDir: string): Promise<Generated> {
  const file = fileIn(dataDir)
  // Before looking for the file: another process that starts now may be creating both.
  const hasData = await hasEmbeddedData(dataDir)
  if (!existsSync(file)) {
    if (hasData)
      throw new SecretsError(
        `${file}, which has the keys and wallets of the database beside it, is missing`,
        'restore it from a backup; if there is none, see `quittance secrets adopt`',
      )
    await store(generate(), file)
  }
  return parsed(await readFile(file, 'utf8'), file)
}

function parsed(text: string, file: string): Generated {
  try {
    const { evm, solana, ...others }: Generated = JSON.parse(text)
    const { secretsKey, jwtSecret, mandateSigningSecret, anchorPrivateKey } = others
    const all = [secretsKey, jwtSecret, mandateSigningSecret, anchorPrivateKey]
    for (const { privateKey, address } of [evm, solana]) all.push(privateKey, address)
    if (all.every((secret) => typeof secret === 'string' && secret !== ''))
      return { evm, solana, ...others }
  } catch {
    // The parser's message may quote a secret.
  }
  throw new SecretsError(
    `${file} is damaged`,
    'restore it from a backup; if there is none, move it away, and see `quittance secrets adopt`',
  )
}

function generate() {
  return {
    secretsKey: randomBytes(32).toString('hex'),
    jwtSecret: randomBytes(32).toString('hex'),
    mandateSigningSecret: randomBytes(32).toString('hex'),
    evm: newEvmWallet(),
    solana: newSolanaWallet(),
    anchorPrivateKey: newEvmWallet().privateKey,
  }
}

/** Keeps an existing file: processes that start together use the first's. */
async function store(generated: Generated, file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  // Written in full, then linked into place: a crash never leaves half a file.
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  const text = `${JSON.stringify(generated, null, 2)}\n`
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true })
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
}
