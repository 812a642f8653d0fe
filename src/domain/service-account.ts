/** The account that owns what is made without a key. Nobody has a key of it; a migration makes it. */
export const serviceAccountId = '00000000-0000-7000-8000-000000000402'
