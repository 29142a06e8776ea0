import { expect, test } from 'vitest'
import { withoutSecrets } from '../errors/without-secrets.ts'

test('B12.2 keys are removed from what a provider says, and the rest is kept', () => {
  const said: [string, string][] = [
    ['Incorrect API key provided: sk-proj-abc123def456. See docs.', 'Incorrect API key provided: …. See docs.'],
    ['key sk-ant-api03-abcdefgh and again sk-ant-api03-abcdefgh', 'key … and again …'],
    ['gsk_abcdefgh1234567890 is revoked', '… is revoked'],
    ['API key not valid: AIzaSyA1234567890abcdef', 'API key not valid: …'],
    ['header Authorization: Bearer abc.def.ghi, sent', 'header Authorization: Bearer …, sent'],
    ['{"api_key":"abcdef","model":"x"}', '{"api_key":"…","model":"x"}'],
    ['GET /v1?token=abc&model=x failed', 'GET /v1?token=…&model=x failed'],
    ['Incorrect API key provided: 0a1b2c3d4e5f6a7b. See docs.', 'Incorrect API key provided: …. See docs.'],
    ['Your API key was refused: the quota is used up', 'Your API key was refused: the quota is used up'],
    ['The model gpt-5 does not exist', 'The model gpt-5 does not exist'],
  ]
  for (const [text, clean] of said) expect(withoutSecrets(text)).toBe(clean)
})
