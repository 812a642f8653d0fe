import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newEvmWallet, newSolanaWallet } from './chain/wallets.ts'
import type { Config } from './config.ts'
import { type Network, networks } from './domain/network.ts'

/** Everything the service cannot run without; what configuration does not give is generated on the embedded default. */
export type Secrets = {
  readonly secretsKey: string
  readonly jwtSecret: string
  readonly mandateSigningSecret: string | null
  readonly anchorPrivateKey: string | null
  readonly wallets: Readonly<Record<Network, string | null>>
  /** The file generated ones are in, or null when none were needed. */
  readonly file: string | null
}

type Generated = {
  readonly secretsKey: string
  readonly jwtSecret: string
  readonly mandateSigningSecret: string
  readonly evm: { readonly privateKey: string; readonly address: string }
  readonly solana: { readonly privateKey: string; readonly address: string }
  readonly anchorPrivateKey: string
}

/**
 * The secrets of this deployment. With a `DATABASE_URL` they all come from configuration; without one, missing secrets and chain
 * wallets are generated once into `<DATA_DIR>/secrets.json`, which only its owner can read.
 */
export async function loadSecrets(config: Config): Promise<Secrets> {
  const generated = config.databaseUrl === null ? await readOrGenerate(config.dataDir) : null
  const wallet = (network: Network) =>
    config.networks[network].wallet ??
    (network === 'solana' ? generated?.solana.address : generated?.evm.address) ??
    null
  return {
    secretsKey: config.secretsKey ?? generated?.secretsKey ?? missing('SECRETS_KEY'),
    jwtSecret: config.jwtSecret ?? generated?.jwtSecret ?? missing('JWT_SECRET'),
    mandateSigningSecret: config.mandateSigningSecret ?? generated?.mandateSigningSecret ?? null,
    anchorPrivateKey: config.anchor.privateKey ?? generated?.anchorPrivateKey ?? null,
    wallets: Object.fromEntries(
      networks.map((network) => [network, wallet(network)]),
    ) as Secrets['wallets'],
    file: generated && fileIn(config.dataDir),
  }
}

function missing(name: string): never {
  // readConfig has refused a configuration without it.
  throw new Error(`${name} is required`)
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

async function readOrGenerate(dataDir: string): Promise<Generated> {
  const file = fileIn(dataDir)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text !== null) return JSON.parse(text) as Generated
  const generated: Generated = {
    secretsKey: randomBytes(32).toString('hex'),
    jwtSecret: randomBytes(32).toString('hex'),
    mandateSigningSecret: randomBytes(32).toString('hex'),
    evm: newEvmWallet(),
    solana: newSolanaWallet(),
    anchorPrivateKey: newEvmWallet().privateKey,
  }
  await mkdir(dataDir, { recursive: true })
  // Renamed into place whole: a crash never leaves half a file, which would mean new keys for old data.
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(generated, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, file)
  return generated
}
