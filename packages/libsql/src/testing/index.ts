export { type Tear, tornClient } from './torn-client.ts'
