// SimGrid's solver of sharing problems (its "lmm", kind "maxmin") on a problem from a file.
//
//   max_min PROBLEM RATES RUNS
//
// PROBLEM: the numbers of flows, links and crossings as 64-bit integers; capacities (double);
// where each route starts, and where the last one ends (32 bit); the links of all routes
// (32 bit); demands, possibly infinite, and weights (double). All little-endian.
// RATES gets one double a flow. RUNS times a new system is built and solved, as a second solve
// of the same one finds things in order. Prints one line of JSON: the seconds of processor time
// of building, and those of solving. The lists of flows a link, which every solver needs, are
// part of building.
//
// Build: c++ -O2 -std=c++17 max_min.cpp -o max_min -lsimgrid
//
// Packages of SimGrid export the solver but ship no header for it. So what is called is
// declared here, and where a variable keeps its rate is found out by a problem with a known
// answer. A version with another interface does not link, or is refused.

#include <simgrid/engine.h>
#include <simgrid/version.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace simgrid::kernel {
namespace resource {
class Resource;
class Action;
} // namespace resource
namespace lmm {
class Constraint;
class Variable;
class System {
public:
  static System* build(std::string_view kind, bool selective_update);
  Constraint* constraint_new(resource::Resource* id, double bound);
  Variable* variable_new(resource::Action* id, double penalty, double bound, unsigned long constraints);
  void expand(Constraint* constraint, Variable* variable, double consumption, bool force_creation);
  void solve();
};
} // namespace lmm
} // namespace simgrid::kernel

using simgrid::kernel::lmm::Constraint;
using simgrid::kernel::lmm::System;
using simgrid::kernel::lmm::Variable;

constexpr double NO_BOUND = -1.0;

double at(const Variable* variable, std::size_t offset)
{
  double value;
  std::memcpy(&value, reinterpret_cast<const char*>(variable) + offset, sizeof value);
  return value;
}

// Two flows of weights 1 and 3 share 1234.5: what holds a quarter in one and three in the other.
std::size_t offset_of_rate()
{
  System* system = System::build("maxmin", false);
  Constraint* link = system->constraint_new(nullptr, 1234.5);
  Variable* light = system->variable_new(nullptr, 1.0, NO_BOUND, 1);
  Variable* heavy = system->variable_new(nullptr, 1.0 / 3.0, NO_BOUND, 1);
  system->expand(link, light, 1.0, false);
  system->expand(link, heavy, 1.0, false);
  system->solve();
  constexpr std::size_t SMALLEST = 120; // of a variable; nothing is read beyond
  for (std::size_t offset = 0; offset + sizeof(double) <= SMALLEST; offset += sizeof(double))
    if (std::abs(at(light, offset) - 308.625) < 1e-6 && std::abs(at(heavy, offset) - 925.875) < 1e-6)
      return offset;
  throw std::runtime_error("this version of SimGrid keeps rates elsewhere");
}

template <class T> std::vector<T> read(std::ifstream& file, std::size_t count)
{
  std::vector<T> values(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
  if (!file)
    throw std::runtime_error("the problem ends too early");
  return values;
}

double processor_seconds()
{
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void print(const char* before, const std::vector<double>& seconds)
{
  std::printf("%s", before);
  for (std::size_t nth = 0; nth < seconds.size(); nth++)
    std::printf("%s%.9f", nth ? ", " : "", seconds[nth]);
}

void run(const char* problem, const char* answer, int runs)
{
  std::size_t offset = offset_of_rate();
  std::ifstream file(problem, std::ios::binary);
  auto counts     = read<std::uint64_t>(file, 3);
  auto capacities = read<double>(file, counts[1]);
  auto starts     = read<std::uint32_t>(file, counts[0] + 1);
  auto links      = read<std::uint32_t>(file, counts[2]);
  auto demands    = read<double>(file, counts[0]);
  auto weights    = read<double>(file, counts[0]);

  std::vector<Variable*> variables;
  std::vector<double> built, solved;
  for (int nth = 0; nth < runs; nth++) {
    double begin   = processor_seconds();
    System* system = System::build("maxmin", false); // never taken down: that is not what is timed
    std::vector<Constraint*> constraints;
    for (double capacity : capacities)
      constraints.push_back(system->constraint_new(nullptr, capacity));
    variables.clear();
    for (std::size_t flow = 0; flow < counts[0]; flow++) {
      double bound       = std::isinf(demands[flow]) ? NO_BOUND : demands[flow];
      Variable* variable = system->variable_new(nullptr, 1.0 / weights[flow], bound, starts[flow + 1] - starts[flow]);
      for (std::uint32_t hop = starts[flow]; hop < starts[flow + 1]; hop++)
        system->expand(constraints[links[hop]], variable, 1.0, false);
      variables.push_back(variable);
    }
    built.push_back(processor_seconds() - begin);
    begin = processor_seconds();
    system->solve();
    solved.push_back(processor_seconds() - begin);
  }
  print("{\"build_s\": [", built);
  print("], \"solve_s\": [", solved);
  std::printf("]}\n");

  std::vector<double> rates;
  for (const Variable* variable : variables)
    rates.push_back(at(variable, offset));
  std::ofstream(answer, std::ios::binary)
      .write(reinterpret_cast<const char*>(rates.data()), static_cast<std::streamsize>(rates.size() * sizeof(double)));
}

int main(int argc, char** argv)
{
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  try {
    if (argc != 4)
      throw std::runtime_error("usage: max_min PROBLEM RATES RUNS");
    if (major != 3 || minor < 32)
      throw std::runtime_error("made for SimGrid 3.32 and later 3.x");
    run(argv[1], argv[2], std::atoi(argv[3]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
