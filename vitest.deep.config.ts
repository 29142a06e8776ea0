import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// One seed for all properties, which every line of the report repeats: `SEED=123 npm run test:deep` checks the same cases again.
const seed = process.env['SEED'] ?? String(Math.floor(Math.random() * 1_000_000_000))

// Many cases of what `npm test` checks a few of.
export default mergeConfig(
  defineConfig({ test: { ...base.test, include: [], exclude: [] } }),
  defineConfig({
    test: {
      include: ['packages/*/src/**/*.deep.test.ts'],
      exclude: configDefaults.exclude,
      env: { SEED: seed },
      reporters: ['default', './scripts/deep-reporter.mjs'],
      maxWorkers: 2,
      testTimeout: 900_000,
    },
  }),
)
