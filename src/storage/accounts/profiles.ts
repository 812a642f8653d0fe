import type { By } from '../../domain/accounts/account.ts'
import { noProfile, type Profile, type ProfileChange } from '../../domain/accounts/profile.ts'
import { type Sql, statement } from '../postgres/db.ts'
import { attributed } from './audit.ts'

/** The profile of an account; an empty one where none was ever set. */
export async function findProfile(sql: Sql, accountId: string): Promise<Profile> {
  const [found] = await statement<Profile[]>(sql)`
    select ${columns(sql)} from account_profiles where account_id = ${accountId}`
  return found ?? noProfile
}

/** The logo of an account as a PNG. */
export async function findLogo(sql: Sql, accountId: string): Promise<Uint8Array | null> {
  const [found] = await statement<{ logo: Uint8Array | null }[]>(sql)`
    select logo from account_profiles where account_id = ${accountId}`
  return found?.logo ?? null
}

/** What the change leaves out stays as it is. */
export async function changeProfile(
  sql: Sql,
  accountId: string,
  change: ProfileChange,
  by: By,
): Promise<Profile> {
  const { name, address, country, vat, email, website, logo } = change
  const has = (value: unknown) => value !== undefined
  const [changed] = await statement<[Profile]>(sql)`
    insert into account_profiles as kept (account_id, name, address, country, vat, email, website, logo)
    select ${accountId}, ${name ?? null}, ${address ?? null}, ${country ?? null}, ${vat ?? null}, ${email ?? null},
      ${website ?? null}, ${logo ?? null}::bytea
    where ${attributed(sql, [{ accountId, subjectId: accountId, by }])}
    on conflict (account_id) do update set
      name = case when ${has(name)} then excluded.name else kept.name end,
      address = case when ${has(address)} then excluded.address else kept.address end,
      country = case when ${has(country)} then excluded.country else kept.country end,
      vat = case when ${has(vat)} then excluded.vat else kept.vat end,
      email = case when ${has(email)} then excluded.email else kept.email end,
      website = case when ${has(website)} then excluded.website else kept.website end,
      logo = case when ${has(logo)} then excluded.logo else kept.logo end
    returning ${columns(sql)}`
  return changed
}

function columns(sql: Sql) {
  return sql`name, address, country, vat, email, website, logo_sha256 as "logoHash"`
}
