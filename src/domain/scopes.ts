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
