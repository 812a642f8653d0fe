/** The account that owns what is created without a key. It has no keys; the schema creates it. */
export const serviceAccountId = '00000000-0000-7000-8000-000000000402'
