import { type Config, ConfigError, readConfig } from '../../config/config.ts'
import { typoText } from '../../config/env.ts'
import { loadSecrets, SecretsError } from '../../config/secrets.ts'
import { networks } from '../../domain/network.ts'
import { SchemaError } from '../../storage/postgres/migrate.ts'
import { onDatabase } from '../session.ts'
import { addressFindings, balanceFindings, receiverFindings } from './addresses.ts'
import { anchorFindings, anchorTieFindings } from './anchors.ts'
import { chainFindings } from './chains.ts'
import { type Finding, note, problem } from './finding.ts'
import { rateFindings, taxFindings } from './rates.ts'
import { retentionFindings } from './retention.ts'
import { sentinelFindings, serverFindings } from './servers.ts'
import {
  databaseFindings,
  databaseWriteFindings,
  keyFindings,
  queueFindings,
  redisFindings,
} from './stores.ts'

/** A check that fails is itself a finding. */
export async function diagnose(): Promise<readonly Finding[]> {
  try {
    const config = readConfig()
    // Without secrets every check would fail for the same reason.
    await loadSecrets(config)
    const checks = [
      stores(config),
      check('Redis', () => redisFindings(config.redisUrl)),
      check('Sentinel', () => sentinelFindings(config.redisUrl)),
      ...networks.map((network) => check(network, () => chainFindings(config, network))),
      check('anchor', () => anchorFindings(config)),
    ]
    const typos = config.typos.map((one) => note('configuration', typoText(one)))
    return [...typos, ...taxFindings(config), ...(await Promise.all(checks)).flat()]
  } catch (error) {
    if (error instanceof SecretsError) return [problem('secrets', error.detail, error.remedy)]
    if (!(error instanceof ConfigError)) throw error
    const detail = error.message.replace(/^Configuration:/, '')
    return [problem('configuration', detail, 'correct these environment variables')]
  }
}

function stores(config: Config): Promise<readonly Finding[]> {
  const remedy =
    config.databaseUrl === null
      ? 'is another command using DATA_DIR, and may this user write there?'
      : 'is PostgreSQL running, and may its user change the database in DATABASE_URL?'
  return check(
    'database',
    () =>
      onDatabase(async ({ sql, databaseUrl }) => [
        ...(await receiverFindings(config, sql)),
        ...(await databaseFindings(sql)),
        ...(await serverFindings(databaseUrl, sql)),
        ...(await check('writes', () => databaseWriteFindings(sql), 'is its disk full?')),
        ...(await check('queues', () => queueFindings(config, databaseUrl), remedy)),
        ...(await retentionFindings(config, sql)),
        ...(await rateFindings(config, sql)),
        ...(await balanceFindings(sql)),
        ...(await addressFindings(sql)),
        ...(await keyFindings(config, sql)),
        ...(await check('anchor transactions', () => anchorTieFindings(config, sql))),
      ]),
    remedy,
  )
}

async function check(
  what: string,
  findings: () => Promise<readonly Finding[]>,
  remedy = 'is it running, and can this machine reach it?',
): Promise<readonly Finding[]> {
  try {
    return await findings()
  } catch (error) {
    if (error instanceof SchemaError) return [problem(what, error.detail, error.remedy)]
    return [problem(what, textOf(error), remedy)]
  }
}

function textOf(error: unknown): string {
  const { message, operatorText } = error as Error & { operatorText?: string }
  return operatorText ?? message
}
