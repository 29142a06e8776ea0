import { editBursts } from '../../test-support/properties/edit-bursts.ts'
import { deep } from '../../test-support/property.ts'

// 500 bursts.
deep(editBursts({ agents: 50, bursts: 10 }), 50)
