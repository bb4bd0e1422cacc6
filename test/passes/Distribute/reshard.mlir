// RUN: zcc-opt %s --zcc-partition --zcc-verify-partitioned | FileCheck %s

#rows = #dist.sharding<@mesh, [{"a"}, {}]>
#rows_and_columns = #dist.sharding<@mesh, [{"a"}, {"b"}]>
#columns_and_rows = #dist.sharding<@mesh, [{"b"}, {"a"}]>
#minor_first = #dist.sharding<@mesh, [{"b", "a"}, {}]>
#major_first = #dist.sharding<@mesh, [{"a", "b"}, {}]>
#whole = #dist.sharding<@mesh, [{}, {}]>
#padded = #dist.sharding<@mesh, [{"a"}, {}], padded = [8, 5]>
dist.mesh @mesh [#dist.axis<"a" = 2>, #dist.axis<"b" = 2>]

// Equal boxes on other devices: nothing is gathered.
// CHECK-LABEL: @swapped
// CHECK: dist.exchange_boxes %arg0 {axes = ["a", "b"]{{.*}}shape = array<i64: 4, 4>{{.*}} : (tensor<2x2xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: return
func.func @swapped(%a: tensor<4x4xf32> {dist.sharding = #rows_and_columns}) -> tensor<4x4xf32> {
  %0 = dist.reshard %a {from = #rows_and_columns, to = #columns_and_rows, dist.shardings = [#columns_and_rows]} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: @order
// CHECK: dist.exchange_boxes %arg0 {{.*}} : (tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: return
func.func @order(%a: tensor<4x4xf32> {dist.sharding = #major_first}) -> tensor<4x4xf32> {
  %0 = dist.reshard %a {from = #major_first, to = #minor_first, dist.shardings = [#minor_first]} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Where padding differs, so do the boxes.
// CHECK-LABEL: @padding
// CHECK: dist.exchange_boxes %arg0 {axes = ["a"]{{.*}} from = #dist.sharding<@mesh, [{"a"}, {}], padded = [6, 5]>, shape = array<i64: 5, 5>, to = #dist.sharding<@mesh, [{"a"}, {}], padded = [8, 5]>
// CHECK-SAME: (tensor<3x5xf32>) -> tensor<4x5xf32>
func.func @padding(%a: tensor<5x5xf32> {dist.sharding = #dist.sharding<@mesh, [{"a"}, {}], padded = [6, 5]>}) -> tensor<5x5xf32> {
  %0 = dist.reshard %a {from = #dist.sharding<@mesh, [{"a"}, {}], padded = [6, 5]>, to = #padded, dist.shardings = [#padded]} : tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// Axes that are the same at both ends stay: only "b" is gathered.
// CHECK-LABEL: @prefix
// CHECK: dist.all_gather %arg0 {axes = ["b"]{{.*}} : (tensor<1x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: return
func.func @prefix(%a: tensor<4x4xf32> {dist.sharding = #major_first}) -> tensor<4x4xf32> {
  %0 = dist.reshard %a {from = #major_first, to = #rows, dist.shardings = [#rows]} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
