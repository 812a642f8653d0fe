export const scopes = [
  'invoices:read',
  'invoices:write',
  'budgets:read',
  'budgets:write',
  'webhooks:read',
  'webhooks:write',
  'mandates:read',
  'mandates:write',
  'dashboard:read',
  'admin',
] as const

export type Scope = (typeof scopes)[number]

/** No preset contains `admin`, which crosses accounts. */
export const presets = {
  full: scopes.filter((scope) => scope !== 'admin'),
  read_only: scopes.filter((scope) => scope.endsWith(':read')),
  webhook_only: ['webhooks:read', 'webhooks:write'],
} as const satisfies Record<string, readonly Scope[]>

export type Preset = keyof typeof presets

export const presetNames = Object.keys(presets) as readonly Preset[]

/** The scopes of presets and single scopes, without duplicates. */
export function scopesNamed(names: readonly (Scope | Preset)[]): readonly Scope[] {
  return [...new Set(names.flatMap((name) => (isPreset(name) ? presets[name] : [name])))]
}

/** The first preset that the scopes contain, if any, and the scopes beyond it. */
export function inPresets(scopes: readonly Scope[]): {
  readonly preset: Preset | null
  readonly beyond: readonly Scope[]
} {
  const preset = presetNames.find((name) => presets[name].every((one) => scopes.includes(one)))
  if (!preset) return { preset: null, beyond: scopes }
  const within = new Set<Scope>(presets[preset])
  return { preset, beyond: scopes.filter((one) => !within.has(one)) }
}

function isPreset(name: string): name is Preset {
  return Object.hasOwn(presets, name)
}
