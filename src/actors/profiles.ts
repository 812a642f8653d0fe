import type { By } from '../domain/accounts/account.ts'
import type { Profile, ProfileChange } from '../domain/accounts/profile.ts'
import { keepNewest } from '../scheduling/cache.ts'
import * as Rows from '../storage/accounts/profiles.ts'
import type { Sql } from '../storage/postgres/db.ts'

export type Profiles = ReturnType<typeof createProfiles>

/** How long a process may go on using a profile that another one has changed. */
const freshMs = 5_000
const mostAccounts = 10_000

/** Who accounts are. Kept in memory, so that creating an invoice asks the database nothing. */
export function createProfiles(sql: Sql, steadyMs: () => number) {
  const known = new Map<string, { readonly profile: Profile; readonly readAtMs: number }>()

  /** A promise only if the profile must be looked up. */
  function of(accountId: string): Profile | Promise<Profile> {
    const found = known.get(accountId)
    return found && steadyMs() - found.readAtMs <= freshMs ? found.profile : read(accountId)
  }

  async function read(accountId: string): Promise<Profile> {
    const readAtMs = steadyMs()
    return keep(accountId, await Rows.findProfile(sql, accountId), readAtMs)
  }

  async function change(accountId: string, wanted: ProfileChange, by: By): Promise<Profile> {
    const changed = await Rows.changeProfile(sql, accountId, wanted, by)
    return keep(accountId, changed, steadyMs())
  }

  function keep(accountId: string, profile: Profile, readAtMs: number): Profile {
    keepNewest(known, accountId, { profile, readAtMs }, mostAccounts)
    return profile
  }

  /** The logo as a PNG. */
  function logo(accountId: string): Promise<Uint8Array | null> {
    return Rows.findLogo(sql, accountId)
  }

  return { of, change, logo }
}
