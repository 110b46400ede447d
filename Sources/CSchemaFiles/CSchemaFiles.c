#include "CSchemaFiles.h"

// The compiler reads the files themselves: nothing is copied into the sources, and a program that is
// installed somewhere else still has them.
#pragma clang diagnostic ignored "-Wc23-extensions"
#include "files.h"

const struct grain_schema_file *grain_schema_file_at(size_t index) {
  const size_t count = sizeof(files) / sizeof(files[0]);
  return index < count ? &files[index] : NULL;
}
