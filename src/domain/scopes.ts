/** What a key may be allowed to do; a request lacking its scope is `forbidden`. */
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

/** Named sets of scopes. `admin` crosses accounts, so no preset holds it: it is given by name. */
export const presets = {
  full: scopes.filter((scope) => scope !== 'admin'),
  read_only: scopes.filter((scope) => scope.endsWith(':read')),
  webhook_only: ['webhooks:read', 'webhooks:write'],
} as const satisfies Record<string, readonly Scope[]>

export type Preset = keyof typeof presets

export const presetNames = Object.keys(presets) as readonly Preset[]

/** The scopes that any of these names stands for, each once: a preset's, or the one of that name. */
export function scopesNamed(names: readonly (Scope | Preset)[]): readonly Scope[] {
  return [...new Set(names.flatMap((name) => (isPreset(name) ? presets[name] : [name])))]
}

function isPreset(name: string): name is Preset {
  return Object.hasOwn(presets, name)
}
